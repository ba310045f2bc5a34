"""`palabre token`: keys by which programs come in."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Annotated, TypeVar

import typer
from rich.table import Table

from palabre.app.api_keys import opened_api_keys
from palabre.app.cli.console import plain_console, shown_minute
from palabre.app.cli.options import ConfigOption, DataDirOption, JsonOption
from palabre.app.clock import SystemClock
from palabre.app.settings import Settings, load_settings
from palabre.core.audit.model import THE_MACHINE
from palabre.core.auth.api_keys import ApiKey, ApiKeys, NewKey, Scope
from palabre.kernel.clock import iso_utc
from palabre.kernel.text import Text, text
from palabre.texts import say

app = typer.Typer(no_args_is_help=True)

WIDTH_OF_A_DAY = 10
"""Where it is narrow, the hour stands below its day."""

R = TypeVar("R")
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="What the key is for.")]
KeyArgument = Annotated[
    str, typer.Argument(metavar="KEY", help="Its name or id, as `list` prints them.")
]
ScopeOption = Annotated[
    list[Scope], typer.Option("--scope", help="What it opens; may be given several times.")
]
DaysOption = Annotated[
    int | None, typer.Option("--expires-days", help="Days until it ends; without it, never.")
]


@app.command()
def create(
    name: NameArgument,
    *,
    scope: ScopeOption,
    expires_days: DaysOption = None,
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a key and print it, this once: only its hash is kept.

    The server may be running. A key alone goes to the standard output.

    **Examples**

    `palabre token create notebook --scope chat --scope embeddings`

    `palabre token create assistant --scope mcp --expires-days 90`

    `palabre token create ci --scope chat --json`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    life = None if expires_days is None else timedelta(days=expires_days)
    new = _run(settings, lambda keys: keys.create(THE_MACHINE, name, scope, life))
    if as_json:
        _print_json(_data(new.key) | {"key": new.secret})
        return
    _tell_new(new, settings)


@app.command(name="list")
def list_(
    *, data_dir: DataDirOption = None, config: ConfigOption = None, as_json: JsonOption = False
) -> None:
    """Print the keys: what they open, when they were last used, when they end.

    **Examples**

    `palabre token list`

    `palabre token list --json`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    keys = _run(settings, lambda service: service.all())
    if as_json:
        _print_json([_data(each) for each in keys])
        return
    if not keys:
        _print(settings, text("cli.token.none"))
        return
    table = Table(box=None, header_style="bold", padding=(0, 1, 0, 0))
    for column in ("name", "id", "scopes", "since", "used", "ends"):
        heading = say(text(f"cli.token.column.{column}"), settings.language)
        table.add_column(heading, overflow="fold", no_wrap=column == "id", min_width=WIDTH_OF_A_DAY)
    for each in keys:
        table.add_row(*_row(each, settings))
    plain_console().print(table)


@app.command()
def revoke(
    key: KeyArgument,
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take a key back, after asking: a running server refuses it from then on.

    **Examples**

    `palabre token revoke notebook`

    `palabre token revoke notebook --yes`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    found = _run(settings, lambda keys: keys.named(key))
    question = text("cli.token.ask_revoke", name=found.name, scopes=_scopes(found))
    if not yes:
        typer.confirm(say(question, settings.language), abort=True, err=True)
    revoked = _run(settings, lambda keys: keys.revoke(THE_MACHINE, found.id))
    if as_json:
        _print_json(_data(revoked))
        return
    _print(settings, text("cli.token.revoked", name=revoked.name))


def _run(settings: Settings, work: Callable[[ApiKeys], Awaitable[R]]) -> R:
    async def with_keys() -> R:
        async with opened_api_keys(settings) as keys:
            return await work(keys)

    return asyncio.run(with_keys())


def _tell_new(new: NewKey, settings: Settings) -> None:
    key = new.key
    ends = text("cli.token.endless")
    if key.expires_at is not None:
        ends = text("cli.token.until", date=iso_utc(key.expires_at))
    news = text("cli.token.created", name=key.name, scopes=_scopes(key), ends=ends)
    _print(settings, news, stderr=True)
    sys.stdout.write(new.secret + "\n")


def _data(key: ApiKey) -> dict[str, object]:
    return {
        "id": key.id,
        "name": key.name,
        "scopes": sorted(key.scopes),
        "createdAt": iso_utc(key.created_at),
        "expiresAt": iso_utc(key.expires_at) if key.expires_at else None,
        "lastUsedAt": iso_utc(key.used_at) if key.used_at else None,
    }


def _row(key: ApiKey, settings: Settings) -> tuple[str, ...]:
    never = say(text("cli.token.never"), settings.language)
    zone, moments = SystemClock().zone, (key.created_at, key.used_at, key.expires_at)
    since, used, ends = (shown_minute(at, zone) if at else never for at in moments)
    return key.name, key.id, _scopes(key), since, used, ends


def _scopes(key: ApiKey) -> str:
    return ", ".join(sorted(key.scopes))


def _print_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


def _print(settings: Settings, words: Text, *, stderr: bool = False) -> None:
    plain_console(stderr=stderr).print(say(words, settings.language), soft_wrap=True)
