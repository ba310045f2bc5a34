"""The environment: the only module that reads it."""

import os
from collections.abc import Mapping
from pathlib import Path

from palabre.app.settings.aliases import ALIASES, CONFIG_VARIABLE, is_unused
from palabre.app.settings.layers import FILE_SUFFIX, KeyPath, Keys, Layer, Origin

PREFIX = "PALABRE_"


def process_environment() -> Mapping[str, str]:
    """Return the variables of this process; empty ones count as unset."""
    return {name: value for name, value in os.environ.items() if value}


def environment_layer(environ: Mapping[str, str], keys: Keys, cwd: Path) -> Layer:
    """Take the settings that *environ* holds; `PALABRE_...` wins over an alias."""
    layer = Layer(unused=sorted(name for name in environ if is_unused(name)))
    for name in sorted(environ, key=lambda name: (name not in ALIASES, name)):
        path = _path_of(name)
        if path is not None and environ[name]:
            layer.put(path, environ[name], Origin("environment", name), keys, cwd)
    return layer


def _path_of(variable: str) -> KeyPath | None:
    """Return the key that *variable* sets; None if it is none of ours."""
    if variable == CONFIG_VARIABLE:
        return None
    if variable in ALIASES:
        return tuple(ALIASES[variable].split("."))
    if variable.startswith(PREFIX):
        return tuple(variable.removeprefix(PREFIX).lower().split("__"))
    target = ALIASES.get(variable.removesuffix(FILE_SUFFIX.upper()))
    return tuple(f"{target}{FILE_SUFFIX}".split(".")) if target else None
