"""What a JSON body must be, whatever the route wants of it. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

MAX_DEPTH = 64
"""Lists and objects within one another."""

MAX_INTEGER = 2**63 - 1
"""What a database takes as a number."""

NUL = "\0"
"""Postgres keeps no text with it."""


@dataclass(frozen=True, slots=True)
class BodyFault:
    """Why a body is refused.

    Attributes:
        code: As the issues of `validation_error` have it.
        path: The keys and numbers that lead to the value.
    """

    code: str
    message: str
    path: tuple[str | int, ...] = ()


def fault_in(body: bytes) -> BodyFault | None:
    """Return what is wrong with *body*, or None; as `read_json`."""
    value = read_json(body)
    return value if isinstance(value, BodyFault) else None


def read_json(body: bytes) -> Any:
    """Return the value that *body* is, in UTF-8 and JSON (RFC 8259), or the `BodyFault` in it.

    A fault does not repeat the value.
    """
    try:
        value = msgspec.json.decode(body)
    except RecursionError:
        return _TOO_DEEP
    except msgspec.ValidationError:
        return BodyFault("too_big", "A number is out of range")
    except msgspec.DecodeError:
        return BodyFault("invalid_json", "The body is not JSON")
    return next(_faults(value), value)


def _faults(value: Any) -> Iterator[BodyFault]:
    waiting: list[tuple[Any, tuple[str | int, ...]]] = [(value, ())]
    while waiting:
        each, path = waiting.pop()
        if len(path) > MAX_DEPTH:
            yield _TOO_DEEP
        elif isinstance(each, dict):
            waiting += ((inner, (*path, key)) for key, inner in each.items())
            if any(NUL in key for key in each):
                yield BodyFault("invalid_string", "A name holds a NUL character", path)
        elif isinstance(each, list):
            waiting += ((inner, (*path, index)) for index, inner in enumerate(each))
        elif isinstance(each, str) and NUL in each:
            yield BodyFault("invalid_string", "A text holds a NUL character", path)
        elif isinstance(each, int) and abs(each) > MAX_INTEGER:
            yield BodyFault("too_big", "A number is out of range", path)


_TOO_DEEP = BodyFault("too_deep", f"More than {MAX_DEPTH} lists and objects within one another")
