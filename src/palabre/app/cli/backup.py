"""`palabre backup`: all that must last, in one file."""

import json
import sys
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from palabre.adapters.storage.backup.errors import BackupInsideError
from palabre.adapters.storage.backup.manifest import Manifest
from palabre.adapters.storage.backup.writing import Source, write_backup
from palabre.app.backup import backup_source
from palabre.app.cli.console import plain_console
from palabre.app.cli.long_work import bar
from palabre.app.cli.new_file import new_file
from palabre.app.cli.options import ConfigOption, DataDirOption, JsonOption
from palabre.app.clock import SystemClock
from palabre.app.settings import Settings, load_settings
from palabre.kernel.clock import iso_utc
from palabre.kernel.text import Text, text
from palabre.texts import say

app = typer.Typer()

HERE = Path()
MAX_SHOWN = 10


@app.command()
def backup(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="[FILE]",
            help="A new file, or the folder for one that is named after the moment.",
        ),
    ] = HERE,
    *,
    no_media: Annotated[
        bool, typer.Option("--no-media", help="Leave out pictures and music that were made.")
    ] = False,
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write all that must last into one file: the database's tables and the data dir's files.

    The server may be running. The file holds what people said and the hashes of passwords: keep
    it private. Sessions, locks, caches and logs are not in it. `palabre restore` puts it back,
    into SQLite or Postgres.

    **Examples**

    `palabre backup`

    `palabre backup /mnt/disk/ --no-media`

    `palabre backup friday.zip --json`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    source, at = backup_source(settings), SystemClock().now()
    path = _path(file, at, source)
    words = say(text("backup.writing"), settings.language)
    with new_file(path) as out, bar(words, quiet=as_json) as told:
        manifest = write_backup(
            source,
            out,
            program=version("palabre"),
            at=at,
            media=not no_media,
            progress=told,
        )
    size_bytes = path.stat().st_size
    if as_json:
        sys.stdout.write(json.dumps(_report(path, size_bytes, manifest), indent=2) + "\n")
        return
    _print(settings, *_said(path, size_bytes, manifest))


def _path(wished: Path, at: datetime, source: Source) -> Path:
    path = wished / f"palabre-backup-{at:%Y%m%d-%H%M%S}.zip" if wished.is_dir() else wished
    folder = path.absolute().parent.resolve()
    for part in (source.data_dir, source.personas):
        if part is not None and folder.is_relative_to(part):
            raise BackupInsideError(path=str(part))
    return path


def _report(path: Path, size_bytes: int, manifest: Manifest) -> dict[str, object]:
    return {
        "path": str(path),
        "sizeBytes": size_bytes,
        "createdAt": iso_utc(manifest.created_at),
        "database": manifest.database,
        "schemaRevision": manifest.schema_revision,
        "tables": {each.name: each.rows for each in manifest.tables},
        "files": len(manifest.files),
        "leftOut": list(manifest.left_out),
    }


def _said(path: Path, size_bytes: int, manifest: Manifest) -> list[Text]:
    mb = size_bytes / 1_000_000
    files, rows = len(manifest.files), manifest.rows
    lines = [text("backup.written", path=str(path), mb=mb, files=files, rows=rows)]
    if manifest.left_out:
        names = ", ".join(manifest.left_out[:MAX_SHOWN])
        lines.append(text("backup.left_out", count=len(manifest.left_out), names=names))
    return [*lines, text("backup.private")]


def _print(settings: Settings, *lines: Text) -> None:
    for each in lines:
        plain_console().print(say(each, settings.language), soft_wrap=True)
