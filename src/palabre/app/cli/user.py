"""`palabre user`: accounts, which people prove by a password."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.table import Table

from palabre.app.accounts import opened_accounts
from palabre.app.cli.console import plain_console
from palabre.app.cli.options import ConfigOption, JsonOption
from palabre.app.cli.password import ask_password, read_password
from palabre.app.clock import SystemClock
from palabre.app.settings import Settings, load_settings
from palabre.core.auth.accounts import AccountService, Changed, check_password
from palabre.core.auth.model import Account, Role
from palabre.kernel.clock import iso_utc, whole_ms
from palabre.kernel.text import Text, text
from palabre.texts import say

app = typer.Typer(no_args_is_help=True)

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
    settings = load_settings(config=config).settings
    _run(settings, lambda accounts: accounts.check_free(name))
    password = _password(name, password_file, settings)
    changed = _run(settings, lambda accounts: accounts.add(name, role, password))
    _tell("added", changed, settings, as_json=as_json)
    if not as_json:
        _print(settings, text("cli.user.unused"), stderr=True)


@app.command(name="list")
def list_(*, config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """Print the accounts and their roles.

    **Examples**

    `palabre user list`

    `palabre user list --json`
    """
    settings = load_settings(config=config).settings
    accounts = _run(settings, lambda service: service.all())
    if as_json:
        _print_json([_data(each) for each in accounts])
        return
    if not accounts:
        _print(settings, text("cli.user.none"))
        return
    table = Table(box=None, header_style="bold")
    for column in ("username", "role", "since"):
        table.add_column(say(text(f"cli.user.column.{column}"), settings.language))
    for each in accounts:
        table.add_row(*_data(each).values())
    plain_console().print(table)


@app.command()
def passwd(
    name: NameArgument,
    *,
    password_file: FileOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give an account another password, asked twice; all its sessions end at once.

    **Examples**

    `palabre user passwd lea`

    `palabre user passwd lea --password-file lea.txt`
    """
    settings = load_settings(config=config).settings
    account = _run(settings, lambda accounts: accounts.account(name))
    password = _password(account.username, password_file, settings)
    changed = _run(settings, lambda accounts: accounts.set_password(name, password))
    _tell("password_set", changed, settings, as_json=as_json)


@app.command()
def role(
    name: NameArgument,
    role: Annotated[Role, typer.Argument(metavar="ROLE", help=" | ".join(Role))],
    *,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give an account another role; all its sessions end at once.

    **Examples**

    `palabre user role lea admin`

    `palabre user role marc viewer --json`
    """
    settings = load_settings(config=config).settings
    changed = _run(settings, lambda accounts: accounts.set_role(name, role))
    _tell("role_set", changed, settings, as_json=as_json)


@app.command()
def remove(
    name: NameArgument,
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remove an account, after asking; all its sessions end at once.

    What was said under the name stays.

    **Examples**

    `palabre user remove lea`

    `palabre user remove lea --yes`
    """
    settings = load_settings(config=config).settings
    account = _run(settings, lambda accounts: accounts.account(name))
    question = text("cli.user.ask_remove", username=account.username, role=account.role.value)
    if not yes:
        typer.confirm(say(question, settings.language), abort=True, err=True)
    changed = _run(settings, lambda accounts: accounts.remove(name))
    _tell("removed", changed, settings, as_json=as_json)


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
