"""Turn what pydantic found into problems that say where, why and what next."""

import re
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from palabre.app.settings.errors import Problem
from palabre.app.settings.keys import ANY_NAME, section_of, variable_of
from palabre.app.settings.layers import KeyPath, Keys, Origin
from palabre.kernel.nearest import nearest
from palabre.kernel.text import Text, text, verbatim

LIMITS = {
    "greater_than": ("gt", ">"),
    "greater_than_equal": ("ge", ">="),
    "less_than": ("lt", "<"),
    "less_than_equal": ("le", "<="),
}
OF_ONE_KEY = {"provider", "openai", "engine"}
"""Mistakes that a whole section finds, named after the key that they are about."""

TYPES = {
    "int_parsing": "int",
    "int_type": "int",
    "int_from_float": "int",
    "float_parsing": "float",
    "float_type": "float",
    "bool_parsing": "bool",
    "bool_type": "bool",
    "string_type": "str",
    "path_type": "str",
    "tuple_type": "list",
    "dict_type": "table",
    "model_type": "table",
    "model_attributes_type": "table",
}


def mistakes(
    error: ValidationError,
    model: type[BaseModel],
    keys: Keys,
    origins: Mapping[KeyPath, Origin],
) -> list[Problem]:
    """Return a problem for each mistake in *error*."""
    found = []
    for detail in error.errors(include_url=False):
        path = tuple(str(part) for part in detail["loc"] if part != "[key]")
        if path in {("models",), ("speech",)} and detail["type"] in OF_ONE_KEY:
            path = (*path, detail["type"])
        origin = _origin_of(path, origins)
        if detail["type"] == "extra_forbidden":
            fix = _nearest(path, model, keys, origin)
            found.append(Problem(origin.place, text("settings.reason.unknown"), fix))
        else:
            fix = text("settings.fix.value", key=".".join(path))
            found.append(Problem(origin.place, _reason(detail), fix))
    return found


def _origin_of(path: KeyPath, origins: Mapping[KeyPath, Origin]) -> Origin:
    """Return the place of *path*, or of what lies nearest above or below it."""
    for length in range(len(path), 0, -1):
        part = path[:length]
        for known, origin in origins.items():
            if known[:length] == part:
                return origin
    return Origin("default", ".".join(path))


def _reason(detail: ErrorDetails) -> Text:
    kind, context = detail["type"], detail.get("ctx", {})
    value = _shown(detail.get("input"))
    if kind in LIMITS:
        name, sign = LIMITS[kind]
        return text("settings.reason.limit", value=value, limit=f"{sign} {context[name]}")
    if kind in TYPES:
        return text("settings.reason.type", value=value, kind=text(f"settings.kind.{TYPES[kind]}"))
    if kind == "literal_error":
        *first, last = re.split(", | or ", str(context["expected"]))
        several = text("settings.choices", first=", ".join(first), last=last)
        choices = several if first else verbatim(last)
        return text("settings.reason.choice", value=value, choices=choices)
    if kind == "missing":
        return text("settings.reason.missing", key=str(detail["loc"][-1]))
    return text("settings.reason.other", value=value, detail=detail["msg"])


def _shown(value: object) -> str:
    if isinstance(value, Path):
        return repr(str(value))
    return repr(value) if isinstance(value, str | int | float) else type(value).__name__


def _nearest(path: KeyPath, model: type[BaseModel], keys: Keys, origin: Origin) -> Text:
    """Return the advice for an unknown key: the nearest one, or where all of them are."""
    known = _beside(path, model) or _anywhere(path, keys)
    if known is None:
        return text("settings.fix.unknown")
    name = variable_of(known) if origin.kind == "environment" else ".".join(known)
    return text("settings.fix.nearest", key=name)


def _beside(path: KeyPath, model: type[BaseModel]) -> KeyPath | None:
    names = _names_at(path[:-1], model)
    near = nearest(path[-1], names)
    return (*path[:-1], near) if near else None


def _names_at(path: KeyPath, model: type[BaseModel]) -> list[str]:
    section: type[BaseModel] | None = model
    for part in path:
        field = section.model_fields.get(part) if section else None
        # A name of the user's choice is no field: its table's section goes on.
        section = section_of(field.annotation) if field else section
    return list(section.model_fields) if section else []


def _anywhere(path: KeyPath, keys: Keys) -> KeyPath | None:
    by_last = {key.path[-1]: key.path for key in reversed(keys.all) if ANY_NAME not in key.path}
    near = nearest(path[-1], by_last, likeness=0.8)
    return by_last[near] if near else None
