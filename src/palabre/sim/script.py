"""Scripts of the simulators: TOML in, all mistakes told at once."""

import tomllib
from collections.abc import Iterator
from typing import TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from palabre.kernel.errors import SetupError
from palabre.kernel.nearest import nearest

Place = tuple[int | str, ...]


class ScriptError(SetupError):
    """The script cannot be played; `problems` names every mistake."""

    code = "sim_script"

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__(problems="\n".join(problems))
        self.problems = problems


class Table(BaseModel):
    """A table of a script: no unknown keys, never changed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


T = TypeVar("T", bound=Table)


def read_script(source: str, kind: type[T]) -> T:
    """Read *source* (TOML) as a script of *kind*.

    Raises:
        ScriptError: *source* is not TOML, or has mistakes; all of them are told.
    """
    try:
        return kind.model_validate(tomllib.loads(source))
    except tomllib.TOMLDecodeError as error:
        raise ScriptError((str(error),)) from error
    except ValidationError as error:
        raise ScriptError(tuple(_problems(error, kind))) from error


def _problems(error: ValidationError, kind: type[Table]) -> Iterator[str]:
    for mistake in error.errors():
        hint = _hint(mistake["loc"], kind) if mistake["type"] == "extra_forbidden" else ""
        yield f"{_named(mistake['loc'])}: {mistake['msg']}{hint}"


def _named(place: Place) -> str:
    """Count tables from 1, as people do: `answer[2].tokens_per_s`."""
    name = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in place)
    return name.lstrip(".")


def _hint(place: Place, kind: type[Table]) -> str:
    *outer, key = place
    for part in outer:
        if isinstance(part, str):
            kind = _table_in(kind.model_fields[part].annotation) or kind
    near = nearest(str(key), kind.model_fields)
    return f" (perhaps {near})" if near else ""


def _table_in(annotation: object) -> type[Table] | None:
    """Return the table that a field of this type holds, alone or many times."""
    if isinstance(annotation, type) and issubclass(annotation, Table):
        return annotation
    found = (_table_in(inner) for inner in get_args(annotation))
    return next((table for table in found if table is not None), None)
