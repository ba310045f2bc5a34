"""`palabre audit`: who changed what, and whether the book that says so is whole."""

import asyncio
import re
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import typer
from rich.table import Table

from palabre.app.audit import opened_ledger
from palabre.app.cli.console import plain_console, shown_json, shown_minute
from palabre.app.cli.failure import FAILED
from palabre.app.cli.long_work import bar
from palabre.app.cli.new_file import new_file
from palabre.app.cli.options import ConfigOption, DataDirOption, JsonOption
from palabre.app.clock import SystemClock
from palabre.app.settings import Settings, load_settings
from palabre.core.audit.inspection import Inspection, inspect
from palabre.core.audit.model import LARGEST_NUMBER, Entry, EntryFilter
from palabre.core.audit.ports import Ledger
from palabre.core.audit.telling import described, inspected
from palabre.kernel.text import Text, text
from palabre.texts import say

app = typer.Typer(no_args_is_help=True)

_STANDARD_OUTPUT = Path("-")
_ONE_HASH = r"[0-9a-f]{64}"


@app.command(name="list")
def list_(
    *,
    action: Annotated[str, typer.Option(help="Only this, such as persona.update.")] = "",
    actor: Annotated[str, typer.Option(help="Only of this name; cli is this machine.")] = "",
    target: Annotated[str, typer.Option(help="Only of this id or name.")] = "",
    before: Annotated[
        int | None,
        typer.Option(
            min=1, max=LARGEST_NUMBER, metavar="NUMBER", help="Only older than this change."
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most so many.")] = 50,
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print changes, newest first: who did what, to what, when, and from where.

    What was before and after is in `--json`. The server may be running.

    **Examples**

    `palabre audit list`

    `palabre audit list --actor lea --action persona.update`

    `palabre audit list --before 1200 --limit 200 --json`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    wanted = EntryFilter(action, actor, target, before_number=before)
    found = asyncio.run(_entries(settings, wanted, limit + 1))
    page, following = found[:limit], found[limit - 1].number if len(found) > limit else None
    if as_json:
        entries = [described(each) for each in page]
        _print_json({"entries": entries, "next": following})
        return
    if not page:
        _print(settings, text("cli.audit.none"))
        return
    plain_console().print(_table(page, settings))
    if following is not None:
        _print(settings, text("cli.audit.more", number=following))


@app.command()
def verify(
    *,
    expect_hash: Annotated[
        str,
        typer.Option(metavar="HASH", help="Demand a change with this hash, kept elsewhere."),
    ] = "",
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read the whole book and say whether it is as it was written.

    Ends with exit code 1 and the first broken number if something was changed or taken out. Who
    keeps the printed hash elsewhere, and gives it with `--expect-hash` later, also sees when the
    end of the book was cut off or written anew.

    **Examples**

    `palabre audit verify`

    `palabre audit verify --expect-hash 5f0c... --json`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    expected = _checked(expect_hash.strip().lower())
    found = asyncio.run(_inspected(settings, expected, quiet=as_json))
    if as_json:
        _print_json(inspected(found))
    else:
        _print(settings, _verdict(found, expected))
        if expected and found.is_whole:
            _print(settings, text("cli.audit.found", hash=expected))
    if not found.is_whole:
        raise typer.Exit(FAILED)


@app.command()
def export(
    file: Annotated[
        Path, typer.Argument(metavar="[FILE]", help="A new file; `-` is the standard output.")
    ] = _STANDARD_OUTPUT,
    *,
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the whole book, oldest change first, one JSON object a line.

    Its hashes can be computed again without this program: docs/audit.md says how.

    **Examples**

    `palabre audit export audit.jsonl`

    `palabre audit export | gzip > audit.jsonl.gz`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    if file == _STANDARD_OUTPUT:
        asyncio.run(_export(settings, sys.stdout.buffer, quiet=True))
        return
    with new_file(file) as out:
        count = asyncio.run(_export(settings, out, quiet=as_json))
    if as_json:
        _print_json({"path": str(file), "entries": count})
        return
    _print(settings, text("cli.audit.exported", count=count, path=str(file)))


@asynccontextmanager
async def _book(
    settings: Settings, words: str, *, quiet: bool
) -> AsyncGenerator[tuple[Ledger, Callable[[int], None]]]:
    async with opened_ledger(settings, SystemClock()) as ledger:
        newest = await ledger.entries(EntryFilter(), 1)
        total = newest[0].number if newest else 0
        with bar(say(text(words), settings.language), quiet=quiet) as told:
            yield ledger, lambda done: told(done, total)


async def _entries(settings: Settings, wanted: EntryFilter, limit: int) -> list[Entry]:
    async with opened_ledger(settings, SystemClock()) as ledger:
        return list(await ledger.entries(wanted, limit))


async def _inspected(settings: Settings, expected: str, *, quiet: bool) -> Inspection:
    async with _book(settings, "cli.audit.reading", quiet=quiet) as (ledger, told):
        return await inspect(ledger, expected, told)


async def _export(settings: Settings, out: BinaryIO, *, quiet: bool) -> int:
    count = 0
    async with _book(settings, "cli.audit.writing", quiet=quiet) as (ledger, told):
        async for page in ledger.pages():
            out.writelines(_line(each) for each in page)
            count += len(page)
            told(count)
    return count


def _line(entry: Entry) -> bytes:
    return shown_json(described(entry), indent=None).encode() + b"\n"


def _checked(wanted: str) -> str:
    if wanted and re.fullmatch(_ONE_HASH, wanted) is None:
        message = "a hash has 64 hex digits, as `palabre audit verify` prints them."
        raise typer.BadParameter(message, param_hint="--expect-hash")
    return wanted


def _verdict(found: Inspection, expected: str) -> Text:
    verdict = found.verdict
    if verdict.broken_at is not None:
        return text("cli.audit.broken", number=verdict.broken_at, count=verdict.entries)
    if found.has_expected is False:
        return text("cli.audit.cut", count=verdict.entries, hash=expected)
    return text("cli.audit.whole", count=verdict.entries, hash=verdict.last_hash)


def _table(page: list[Entry], settings: Settings) -> Table:
    table = Table(box=None, header_style="bold")
    for column in ("number", "at", "actor", "address", "action", "target"):
        heading = say(text(f"cli.audit.column.{column}"), settings.language)
        table.add_column(heading, overflow="fold", no_wrap=column in {"number", "at"})
    zone = SystemClock().zone
    for each in page:
        who = f"{each.actor.name} ({each.actor.role})"
        table.add_row(
            *(str(each.number), shown_minute(each.at, zone), who),
            *(each.actor.address or "-", each.action, each.target),
        )
    return table


def _print_json(value: object) -> None:
    sys.stdout.write(shown_json(value) + "\n")


def _print(settings: Settings, words: Text) -> None:
    plain_console().print(say(words, settings.language), soft_wrap=True)
