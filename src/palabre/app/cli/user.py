"""`palabre user`: accounts, which people prove by a password."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.table import Table

from palabre.app.accounts import opened_accounts
from palabre.app.cli.console import plain_console
from palabre.app.cli.options import ConfigOption, DataDirOption, JsonOption
from palabre.app.cli.password import ask_password, read_password
from palabre.app.clock import SystemClock
from palabre.app.settings import Settings, load_settings
from palabre.core.audit.model import THE_MACHINE
from palabre.core.auth.accounts import AccountService, Changed, check_password
from palabre.core.auth.model import Account, Role, Session
from palabre.kernel.clock import iso_utc, whole_ms
from palabre.kernel.text import Text, text
from palabre.texts import say

app = typer.Typer(no_args_is_help=True)

USER_COLUMNS = ("username", "role", "since")
SESSION_COLUMNS = (*USER_COLUMNS, "until")

MAX_SESSIONS = 1000
"""More than anybody reads."""

R = TypeVar("R")
NewNameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="1 to 40 ASCII letters, digits and _.")
]
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="As `list` prints it, any case.")]
FileOption = Annotated[
    Path | None,
    typer.Option("--password-file", metavar="FILE", help="Take the password from its one line."),
]


@app.command()
def add(
    name: NewNameArgument,
    *,
    role: Annotated[Role, typer.Option(help="What the account may do.")] = Role.VIEWER,
    password_file: FileOption = None,
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add an account; its password is asked twice, and not shown.

    A password has at least 10 characters. It is never an argument: others could read it there.
    The server may be running. Guests who use the name lose their sessions.

    **Examples**

    `palabre user add lea`

    `palabre user add marc --role editor --password-file marc.txt`

    `pass show palabre/marc | palabre user add marc --password-file /dev/stdin`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    _run(settings, lambda accounts: accounts.check_free(name))
    password = _password(name, password_file, settings)
    changed = _run(settings, lambda accounts: accounts.add(name, role, password, by=THE_MACHINE))
    _tell("added", changed, settings, as_json=as_json)


@app.command(name="list")
def list_(
    *, data_dir: DataDirOption = None, config: ConfigOption = None, as_json: JsonOption = False
) -> None:
    """Print the accounts and their roles.

    **Examples**

    `palabre user list`

    `palabre user list --json`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    accounts = _run(settings, lambda service: service.all())
    if as_json:
        _print_json([_data(each) for each in accounts])
        return
    if not accounts:
        _print(settings, text("cli.user.none"))
        return
    _print_table(settings, USER_COLUMNS, [tuple(_data(each).values()) for each in accounts])


@app.command()
def passwd(
    name: NameArgument,
    *,
    password_file: FileOption = None,
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give an account another password, asked twice; all its sessions end at once.

    **Examples**

    `palabre user passwd lea`

    `palabre user passwd lea --password-file lea.txt`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    account = _run(settings, lambda accounts: accounts.account(name))
    password = _password(account.username, password_file, settings)
    changed = _run(
        settings, lambda accounts: accounts.change(name, password=password, by=THE_MACHINE)
    )
    _tell("password_set", changed, settings, as_json=as_json)


@app.command()
def role(
    name: NameArgument,
    role: Annotated[Role, typer.Argument(metavar="ROLE", help=" | ".join(Role))],
    *,
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give an account another role; all its sessions end at once.

    **Examples**

    `palabre user role lea admin`

    `palabre user role marc viewer --json`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    changed = _run(settings, lambda accounts: accounts.change(name, role=role, by=THE_MACHINE))
    _tell("role_set", changed, settings, as_json=as_json)


@app.command()
def remove(
    name: NameArgument,
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remove an account, after asking; all its sessions end at once.

    What was said under the name stays.

    **Examples**

    `palabre user remove lea`

    `palabre user remove lea --yes`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    account = _run(settings, lambda accounts: accounts.account(name))
    question = text("cli.user.ask_remove", username=account.username, role=account.role.value)
    if not yes:
        typer.confirm(say(question, settings.language), abort=True, err=True)
    changed = _run(settings, lambda accounts: accounts.remove(name, by=THE_MACHINE))
    _tell("removed", changed, settings, as_json=as_json)


@app.command()
def sessions(
    *, data_dir: DataDirOption = None, config: ConfigOption = None, as_json: JsonOption = False
) -> None:
    """Print who is logged in, newest first; guests as well.

    **Examples**

    `palabre user sessions`

    `palabre user sessions --json`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    found = _run(settings, lambda accounts: accounts.sessions(MAX_SESSIONS))
    if as_json:
        _print_json([_session_data(each) for each in found])
        return
    if not found:
        _print(settings, text("cli.user.no_sessions"))
        return
    _print_table(settings, SESSION_COLUMNS, [tuple(_session_data(each).values()) for each in found])


@app.command()
def logout(
    name: NameArgument,
    *,
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """End all sessions of a name; who has its password can log in again.

    **Examples**

    `palabre user logout lea`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    ended = _run(settings, lambda accounts: accounts.end_sessions_of(name, by=THE_MACHINE))
    if as_json:
        _print_json({"username": name, "endedSessions": ended})
        return
    _print(settings, text("cli.user.logged_out", username=name, ended=ended))


def _run(settings: Settings, work: Callable[[AccountService], Awaitable[R]]) -> R:
    async def with_accounts() -> R:
        async with opened_accounts(settings, SystemClock()) as accounts:
            return await work(accounts)

    return asyncio.run(with_accounts())


def _password(username: str, file: Path | None, settings: Settings) -> str:
    password = read_password(file) if file else ask_password(username, settings.language)
    check_password(password)
    return password


def _data(account: Account) -> dict[str, str]:
    return {
        "username": account.username,
        "role": account.role.value,
        "createdAt": iso_utc(whole_ms(account.created_at)),
    }


def _session_data(session: Session) -> dict[str, str]:
    return {
        "username": session.username,
        "role": session.role.value,
        "createdAt": iso_utc(session.created_at),
        "expiresAt": iso_utc(session.expires_at),
    }


def _print_table(
    settings: Settings, columns: Sequence[str], rows: Sequence[tuple[str, ...]]
) -> None:
    table = Table(box=None, header_style="bold")
    for column in columns:
        table.add_column(say(text(f"cli.user.column.{column}"), settings.language))
    for row in rows:
        table.add_row(*row)
    plain_console().print(table)


def _tell(news: str, changed: Changed, settings: Settings, *, as_json: bool) -> None:
    account, ended = changed.account, changed.ended_sessions
    if as_json:
        _print_json(_data(account) | {"endedSessions": ended})
        return
    said = {"username": account.username, "role": account.role.value, "ended": ended}
    _print(settings, text(f"cli.user.{news}", **said))


def _print_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


def _print(settings: Settings, words: Text, *, stderr: bool = False) -> None:
    plain_console(stderr=stderr).print(say(words, settings.language), soft_wrap=True)
