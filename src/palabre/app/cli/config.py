"""`palabre config`: what is set, and where."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from palabre.app.cli.console import plain_console, shown_json
from palabre.app.cli.options import ConfigOption, JsonOption
from palabre.app.settings import LoadedSettings, load_settings
from palabre.app.settings.report import Row, rows
from palabre.kernel.text import text
from palabre.texts import Language, say

app = typer.Typer(no_args_is_help=True)


@app.command()
def show(*, config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """Print every key, its value and where it was set; secrets are masked.

    **Examples**

    `palabre config show`

    `palabre config show --json`
    """
    loaded = load_settings(config=config)
    if as_json:
        typer.echo(_as_json(loaded))
        return
    plain_console().print(_table(rows(loaded), loaded.settings.language))
    if loaded.unused:
        words = text("cli.config.unused", names=", ".join(loaded.unused))
        plain_console().print(say(words, loaded.settings.language), style="yellow", soft_wrap=True)


@app.command()
def path(*, config: ConfigOption = None) -> None:
    """Print the settings file that is read; nothing if there is none.

    **Example**

    `palabre config path`
    """
    file = load_settings(config=config).file
    if file is not None:
        typer.echo(file)


@app.command()
def check(file: Annotated[Path, typer.Argument(help="The file to check.")]) -> None:
    """Check a settings file alone, without this machine's variables.

    **Example**

    `palabre config check palabre.toml`
    """
    loaded = load_settings(config=file, environ={})
    loaded.check_start()
    typer.echo(say(text("cli.config.good", file=str(file)), loaded.settings.language))


def _as_json(loaded: LoadedSettings) -> str:
    report = {
        "file": str(loaded.file) if loaded.file else None,
        "settings": [asdict(row) for row in rows(loaded)],
        "unused": list(loaded.unused),
    }
    return shown_json(report)


def _table(found: list[Row], language: Language) -> Table:
    table = Table(box=None, header_style="bold")
    for title in ("key", "value", "origin"):
        table.add_column(say(text(f"cli.config.{title}"), language), overflow="fold")
    default = say(text("cli.config.default"), language)
    for row in found:
        place = row.origin.place.removesuffix(f": {row.key}")
        table.add_row(row.key, row.shown, place or default, style="" if place else "dim")
    return table
