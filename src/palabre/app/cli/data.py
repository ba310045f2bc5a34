"""`palabre data`: bring what other installations, and other kinds of storage, kept."""

import asyncio
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from palabre.adapters.storage.file_import.counts import Brought
from palabre.app.cli.console import plain_console
from palabre.app.cli.data_sweep import sweep
from palabre.app.cli.kxkm import import_kxkm_command
from palabre.app.cli.long_work import bar
from palabre.app.cli.options import ConfigOption, DataDirOption, JsonOption
from palabre.app.file_import import Imported, import_files
from palabre.app.settings import Settings, load_settings
from palabre.kernel.text import Text, text
from palabre.texts import say

app = typer.Typer(no_args_is_help=True)
app.command("import-kxkm")(import_kxkm_command)
app.command("sweep")(sweep)

MAX_SHOWN = 10


@app.callback()
def data() -> None:
    """Bring what was kept elsewhere into this installation; delete what is old."""


@app.command("import-files")
def import_files_command(
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="[DIR]",
            exists=True,
            file_okay=False,
            help="A data dir; without one, that of the settings.",
        ),
    ] = None,
    *,
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring a data dir's logs, contexts, memories and media into the PostgreSQL of the settings.

    The files stay as they are. What the database has already is left alone, so that it can be
    run again; best before people come back, as the newest messages of a channel are taken only
    where the database has none of it.

    **Examples**

    `DATABASE_URL=postgresql://user@host/palabre palabre data import-files`

    `palabre data import-files /srv/palabre-old --json`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    words = say(text("cli.data.importing"), settings.language)
    with bar(words, quiet=as_json) as told:
        imported = asyncio.run(import_files(settings, folder or settings.data_dir, told))
    if as_json:
        sys.stdout.write(json.dumps(asdict(imported), indent=2) + "\n")
        return
    for line in _said(imported):
        _print(line, settings)


def _said(imported: Imported) -> list[Text]:
    kinds = {
        "messages": imported.messages,
        "contexts": imported.contexts,
        "memories": imported.memories,
        "media": imported.media,
    }
    lines = [
        text(f"cli.data.{name}", added=found.added, known=found.known)
        for name, found in kinds.items()
    ]
    return [*lines, *(line for each in kinds.values() for line in _unreadable(each))]


def _unreadable(found: Brought) -> list[Text]:
    if not found.unreadable:
        return []
    names = ", ".join(found.unreadable[:MAX_SHOWN])
    return [text("cli.data.unreadable", count=len(found.unreadable), names=names)]


def _print(words: Text, settings: Settings) -> None:
    plain_console().print(say(words, settings.language), soft_wrap=True)
