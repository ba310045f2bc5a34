"""Every key that a settings file may hold, taken from the models."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, get_args, get_origin

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

ANY_NAME = "*"
"""Stands for a name of the user's choice in a key, as in `models.openai.*.base_url`."""


@dataclass(frozen=True, slots=True)
class Key:
    """One setting.

    Attributes:
        path: Its parts, such as `("server", "port")`.
        field: What the model says about it.
    """

    path: tuple[str, ...]
    field: FieldInfo

    @property
    def name(self) -> str:
        """The key with dots, as the documentation writes it."""
        return ".".join(self.path)

    @property
    def variable(self) -> str:
        """The variable that sets it."""
        return variable_of(self.path)

    @property
    def is_secret(self) -> bool:
        """Whether its value is never shown nor written in the file."""
        return SecretStr in _types(self.field.annotation)

    @property
    def is_path(self) -> bool:
        """Whether its value is a path of this machine."""
        return Path in _types(self.field.annotation)

    def matches(self, path: tuple[str, ...]) -> bool:
        """Whether *path* is this key, with some name where it has `*`."""
        pairs = zip(self.path, path, strict=False)
        return len(self.path) == len(path) and all(a in {b, ANY_NAME} for a, b in pairs)


def variable_of(path: tuple[str, ...]) -> str:
    """Return the variable that sets the key *path*."""
    return "PALABRE_" + "__".join(path).upper()


def keys_of(model: type[BaseModel], prefix: tuple[str, ...] = ()) -> Iterator[Key]:
    """Yield the keys of *model* and of its sections, in the order they are written."""
    for name, field in model.model_fields.items():
        path = (*prefix, name)
        section = section_of(field.annotation)
        if section is None:
            yield Key(path, field)
        elif get_origin(field.annotation) is dict:
            yield from keys_of(section, (*path, ANY_NAME))
        else:
            yield from keys_of(section, path)


def section_of(annotation: object) -> type[BaseModel] | None:
    """Return the model of a section or of a table of sections; None for a plain value."""
    inner = get_args(annotation)[-1] if get_origin(annotation) is dict else annotation
    return inner if isinstance(inner, type) and issubclass(inner, BaseModel) else None


def _types(annotation: object) -> set[object]:
    if get_origin(annotation) is Annotated:
        return _types(get_args(annotation)[0])
    return {annotation}.union(*(_types(part) for part in get_args(annotation)))
