"""The places that settings come from, each read into a layer that remembers where."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from palabre.app.settings.errors import Problem
from palabre.app.settings.keys import Key, variable_of
from palabre.kernel.text import text

KeyPath = tuple[str, ...]
FILE_SUFFIX = "_file"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value was set; *place* is the file and key, the variable or the option."""

    kind: Literal["default", "file", "environment", "cli"] = "default"
    place: str = ""


@dataclass(slots=True)
class Layer:
    """What one place sets.

    Attributes:
        values: Value by key, unchecked.
        origins: Where each of them stands.
        problems: What could not even be read.
        unused: Variables that are known, but not used by this version yet.
    """

    values: dict[KeyPath, object] = field(default_factory=dict)
    origins: dict[KeyPath, Origin] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)

    def put(self, path: KeyPath, value: object, origin: Origin, keys: "Keys", base: Path) -> None:
        """Take *value* for *path*; relative paths start at *base*, `..._file` names a secret."""
        key = keys.find(path)
        secret = (*path[:-1], path[-1].removesuffix(FILE_SUFFIX))
        if key is None and path != secret and keys.is_secret(secret):
            self._put_secret(secret, expanded(Path(str(value)), base), origin)
            return
        if key is not None and key.is_secret and origin.kind == "file":
            self.problems.append(_secret_in_file(path, origin))
            return
        if key is not None and key.is_path and isinstance(value, str):
            value = expanded(Path(value), base)
        self.values[path] = value
        self.origins[path] = origin

    def _put_secret(self, path: KeyPath, source: Path, origin: Origin) -> None:
        try:
            self.values[path] = source.read_text(encoding="utf-8").strip()
        except (OSError, ValueError) as error:
            self.problems.append(_unreadable(origin.place, source, error))
            return
        self.origins[path] = Origin(origin.kind, f"{origin.place} ({source})")


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys that exist."""

    all: tuple[Key, ...]

    def find(self, path: KeyPath) -> Key | None:
        """Return the key that *path* names; None if there is none."""
        return next((key for key in self.all if key.matches(path)), None)

    def is_secret(self, path: KeyPath) -> bool:
        """Whether *path* names a key whose value is secret."""
        key = self.find(path)
        return key is not None and key.is_secret


def expanded(path: Path, base: Path) -> Path:
    """Return *path* with its `~` filled in, from *base* on; as it is when nobody is called so."""
    try:
        return base / path.expanduser()
    except RuntimeError:
        return path


def file_layer(path: Path | None, keys: Keys) -> Layer:
    """Read the TOML file *path*; None is an empty layer."""
    layer = Layer()
    if path is None:
        return layer
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        layer.problems.append(_unreadable(str(path), path, error))
        return layer
    try:
        leaves = list(_leaves(tomllib.loads(content)))
    # tomllib recurses at nested arrays, and int() refuses numbers of thousands of digits.
    except (ValueError, RecursionError) as error:
        reason = text("settings.reason.syntax", detail=str(error))
        layer.problems.append(Problem(str(path), reason, text("settings.fix.syntax")))
        return layer
    for key, value in leaves:
        origin = Origin("file", f"{path}: {'.'.join(key)}")
        layer.put(key, value, origin, keys, path.parent.absolute())
    return layer


def cli_layer(options: Mapping[str, object], keys: Keys, cwd: Path) -> Layer:
    """Take command-line *options* by the dotted name of their key; None was not given.

    An option is called after the last part of its key: `server.port` is `--port`.
    """
    layer = Layer()
    for name, value in options.items():
        if value is not None:
            path = tuple(name.split("."))
            origin = Origin("cli", f"--{path[-1].replace('_', '-')}")
            layer.put(path, value, origin, keys, cwd)
    return layer


class LayerSource(PydanticBaseSettingsSource):
    """Hands a layer to pydantic-settings, which merges the layers."""

    def __init__(self, settings: type[BaseSettings], layer: Layer) -> None:
        super().__init__(settings)
        self._layer = layer

    def __call__(self) -> dict[str, Any]:
        tree: dict[str, Any] = {}
        for path in sorted(self._layer.values, key=len):
            _plant(tree, path, self._layer.values[path])
        return tree

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        """Unused: a layer is handed over as a whole."""
        raise NotImplementedError


def _plant(tree: dict[str, Any], path: KeyPath, value: object) -> None:
    for part in path[:-1]:
        below = tree.get(part)
        if not isinstance(below, dict):
            below = tree[part] = {}
        tree = below
    tree[path[-1]] = value


def _leaves(table: Mapping[str, object], prefix: KeyPath = ()) -> Iterator[tuple[KeyPath, object]]:
    for name, value in table.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*prefix, name))
        else:
            yield (*prefix, name), value


def _secret_in_file(path: KeyPath, origin: Origin) -> Problem:
    names = {"key": f"{path[-1]}{FILE_SUFFIX}", "variable": variable_of(path)}
    return Problem(
        origin.place, text("settings.reason.secret"), text("settings.fix.secret", **names)
    )


def _unreadable(where: str, source: Path, error: OSError | ValueError) -> Problem:
    detail = "not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
    detail = (error.strerror if isinstance(error, OSError) else None) or detail
    reason = text("settings.reason.unreadable", file=str(source), detail=detail)
    return Problem(where, reason, text("settings.fix.unreadable", file=str(source)))
