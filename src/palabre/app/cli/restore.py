"""`palabre restore`: put a backup back."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from palabre.adapters.storage.backup.archive import Archive, opened_archive
from palabre.adapters.storage.backup.manifest import FILES, Manifest
from palabre.adapters.storage.backup.restoring import Restored
from palabre.adapters.storage.backup.restoring import restore as put_back
from palabre.adapters.storage.backup.target import Target, check_target, taken_place
from palabre.adapters.storage.backup.writing import PERSONAS
from palabre.app.backup import restore_target
from palabre.app.cli.console import plain_console
from palabre.app.cli.long_work import bar
from palabre.app.cli.options import ConfigOption, DataDirOption, JsonOption
from palabre.app.clock import SystemClock
from palabre.app.file_import import import_files
from palabre.app.personas import own_directory
from palabre.app.settings import Settings, load_settings
from palabre.kernel.clock import iso_utc
from palabre.kernel.text import Text, text
from palabre.texts import say

app = typer.Typer()


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `palabre backup` wrote.")],
    *,
    replace: Annotated[
        bool, typer.Option("--replace", help="Put it in the place of what is there.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check everything and change nothing.")
    ] = False,
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put a backup back into the data dir and the database that the settings name.

    The server must not run. Where there is data already, `--replace` is needed, which `--dry-run`
    tells. All of FILE is checked before anything is changed. With `--replace`
    the data dir that was there is kept beside the new one; what was in Postgres is not. A backup of
    SQLite may go to Postgres and the other way round.

    **Examples**

    `palabre restore palabre-backup-20260320-100000.zip`

    `palabre restore friday.zip --dry-run`

    `palabre restore friday.zip --data-dir ~/palabre-friday`

    `palabre restore friday.zip --replace --json`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    target = restore_target(settings)
    with opened_archive(file) as archive:
        check_target(target, archive, may_replace=replace or dry_run)
        taken = taken_place(target)
        _verify(archive, settings, quiet=as_json)
        if dry_run:
            _tell_of_check(settings, archive.manifest, taken, as_json=as_json)
            return
        restored = _restore(archive, target, settings, replace=replace, quiet=as_json)
    if settings.storage.in_database and restored.manifest.database == "sqlite":
        _bring_in(settings, quiet=as_json)
    if as_json:
        _tell_programs(restored.manifest, restored.aside, taken, is_done=True)
        return
    _print(settings, _done(restored.manifest, restored.aside))
    _tell_of_personas(settings, restored.manifest)


def _verify(archive: Archive, settings: Settings, *, quiet: bool) -> None:
    total = archive.manifest.size_bytes
    with bar(say(text("restore.checking"), settings.language), quiet=quiet) as told:
        archive.verify(lambda done: told(done, total))


def _restore(
    archive: Archive, target: Target, settings: Settings, *, replace: bool, quiet: bool
) -> Restored:
    with bar(say(text("restore.restoring"), settings.language), quiet=quiet) as told:
        at = SystemClock().now()
        return put_back(archive, target, at=at, may_replace=replace, progress=told)


def _bring_in(settings: Settings, *, quiet: bool) -> None:
    """Bring what rooms kept in files into the database that is its place now."""
    with bar(say(text("cli.data.importing"), settings.language), quiet=quiet) as told:
        asyncio.run(import_files(settings, settings.data_dir, told))


def _tell_of_check(
    settings: Settings, manifest: Manifest, taken: str | None, *, as_json: bool
) -> None:
    if as_json:
        _tell_programs(manifest, None, taken, is_done=False)
        return
    made, counts = iso_utc(manifest.created_at), _counts(manifest)
    lines = [text("restore.whole", at=made, program=manifest.program, **counts)]
    if taken is not None:
        lines.append(text("restore.taken", path=taken))
    _print(settings, lines)


def _tell_programs(
    manifest: Manifest, aside: Path | None, taken: str | None, *, is_done: bool
) -> None:
    report = {
        "restored": is_done,
        "needsReplace": taken is not None,
        "createdAt": iso_utc(manifest.created_at),
        "program": manifest.program,
        "schemaRevision": manifest.schema_revision,
        "tables": {each.name: each.rows for each in manifest.tables},
        "files": len(manifest.files),
        "aside": str(aside) if aside else None,
    }
    sys.stdout.write(json.dumps(report, indent=2) + "\n")


def _tell_of_personas(settings: Settings, manifest: Manifest) -> None:
    """Say where this installation's own personas are if nobody looks there."""
    path, used = settings.data_dir / PERSONAS, own_directory(settings)
    if used != path and any(e.name.startswith(f"{FILES}{PERSONAS}/") for e in manifest.files):
        _print(settings, [text("restore.personas", path=str(path), dir=str(used))])


def _done(manifest: Manifest, aside: Path | None) -> list[Text]:
    lines = [text("restore.done", at=iso_utc(manifest.created_at), **_counts(manifest))]
    if aside is not None:
        lines.append(text("restore.aside", path=str(aside)))
    return [*lines, text("restore.log_in_again")]


def _counts(manifest: Manifest) -> dict[str, int]:
    return {"files": len(manifest.files), "rows": manifest.rows}


def _print(settings: Settings, lines: list[Text]) -> None:
    for each in lines:
        plain_console().print(say(each, settings.language), soft_wrap=True)
