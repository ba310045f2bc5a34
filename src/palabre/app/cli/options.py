"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

ConfigOption = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="Read this file instead of palabre.toml."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
