"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

ConfigOption = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="Read this file instead of palabre.toml."),
]
DataDirOption = Annotated[
    Path | None,
    typer.Option("--data-dir", metavar="DIR", help="Use this data dir, not that of the settings."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
