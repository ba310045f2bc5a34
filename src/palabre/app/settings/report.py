"""The settings as rows that may be shown to anybody."""

import json
from dataclasses import dataclass

from pydantic import BaseModel, SecretStr

from palabre.app.settings.layers import KeyPath, Origin
from palabre.app.settings.load import LoadedSettings

MASK = "********"

Plain = str | int | float | bool | list[str] | None


@dataclass(frozen=True, slots=True)
class Row:
    """One key, its value with secrets masked, and where it was set."""

    key: str
    value: Plain
    origin: Origin

    @property
    def shown(self) -> str:
        """The value as the file would write it; nothing for None."""
        return "" if self.value is None else json.dumps(self.value, ensure_ascii=False)


def rows(loaded: LoadedSettings) -> list[Row]:
    """Return every key of *loaded* in the order of the file."""
    return [
        Row(".".join(path), _plain(value), loaded.origin(path))
        for path, value in _values(loaded.settings, ())
    ]


def _values(
    part: BaseModel | dict[str, BaseModel], prefix: KeyPath
) -> list[tuple[KeyPath, object]]:
    found: list[tuple[KeyPath, object]] = []
    for name, value in part.items() if isinstance(part, dict) else part:
        path = (*prefix, name)
        if isinstance(value, BaseModel | dict):
            found += _values(value, path)
        else:
            found.append((path, value))
    return found


def _plain(value: object) -> Plain:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple):
        return [str(part) for part in value]
    return MASK if isinstance(value, SecretStr) else str(value)
