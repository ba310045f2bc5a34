"""`palabre data import-kxkm`: take over an existing installation."""

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from palabre.adapters.storage.kxkm.tally import LeftOut
from palabre.app.cli.console import plain_console, shown_json
from palabre.app.cli.long_work import bar
from palabre.app.cli.options import ConfigOption, DataDirOption, JsonOption
from palabre.app.kxkm_import import Report, import_kxkm
from palabre.app.settings import Settings, load_settings
from palabre.kernel.text import Text, text
from palabre.texts import Language, say

MAX_SHOWN = 20
"""Of each kind; `--json` tells all."""


def import_kxkm_command(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", exists=True, file_okay=False, help="Its data dir, or what holds `data`."
        ),
    ],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Read and report, and change nothing.")
    ] = False,
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take over a KXKM_Clown: logs, contexts, memories, personas, feedback, voices and media.

    Nothing in DIR is changed, and nothing here is overwritten; a second time adds nothing. In the
    end a report says what was left out, and why. No server may be running on the data dir.

    **Examples**

    `palabre data import-kxkm /srv/kxkm_clown/data --dry-run`

    `palabre data import-kxkm /srv/kxkm_clown --json`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    with bar(say(text("kxkm.reading"), settings.language), quiet=as_json) as told:
        report = asyncio.run(import_kxkm(settings, folder, dry=dry_run, progress=told))
    if as_json:
        data = _as_json(report, settings.language, dry_run=dry_run)
        sys.stdout.write(shown_json(data) + "\n")
        return
    _show(report, settings, dry_run=dry_run)


def _as_json(report: Report, language: Language, *, dry_run: bool) -> dict[str, object]:
    kinds = [
        {
            "kind": kind,
            "read": tally.read,
            "taken": tally.taken,
            "alreadyThere": tally.known,
            "leftOut": [_told(each, language) for each in tally.left_out],
        }
        for kind, tally in report.tallies.items()
    ]
    told = {"dir": str(report.data_dir), "dryRun": dry_run, "compared": report.is_compared}
    return told | {"kinds": kinds}


def _told(each: LeftOut, language: Language) -> dict[str, str]:
    why = say(text(f"kxkm.reason.{each.reason}"), language)
    return {"place": each.place, "reason": each.reason, "text": why}


def _show(report: Report, settings: Settings, *, dry_run: bool) -> None:
    language = settings.language
    table = Table(box=None, header_style="bold")
    for column in ("kind", "read", "taken", "known", "left_out"):
        table.add_column(say(text(f"kxkm.column.{column}"), language))
    for kind, tally in report.tallies.items():
        counts = (tally.read, tally.taken, tally.known, len(tally.left_out))
        table.add_row(say(text(f"kxkm.kind.{kind}"), language), *map(str, counts))
    console = plain_console()
    console.print(table)
    for line in _lines(report, dry_run=dry_run):
        console.print(say(line, language), soft_wrap=True)


def _lines(report: Report, *, dry_run: bool) -> list[Text]:
    lines = []
    for tally in report.tallies.values():
        for each in tally.left_out[:MAX_SHOWN]:
            why = text(f"kxkm.reason.{each.reason}")
            lines.append(text("kxkm.left_out", place=each.place, reason=why))
        if (more := len(tally.left_out) - MAX_SHOWN) > 0:
            lines.append(text("kxkm.more", count=more))
    if not report.is_compared:
        lines.append(text("kxkm.not_compared"))
    if dry_run:
        lines.append(text("kxkm.dry"))
    return lines
