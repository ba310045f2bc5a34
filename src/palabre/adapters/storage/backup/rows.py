"""Rows of tables as lines of JSON, the same for every database.

What JSON has not is an object of one key: `{"b64"}` are bytes, `{"f32"}` is a vector, its numbers
as 32-bit floats, least byte first.
"""

import base64
from collections.abc import Callable, Iterable, Sequence

import msgspec
import numpy as np
from sqlalchemy import Column
from sqlalchemy.dialects.postgresql import TSVECTOR

from palabre.adapters.storage.sql.vector_type import VectorType

UNSAYABLE = "\ufffd"
"""Instead of NUL, which Postgres does not keep."""

Value = str | int | float | bytes | Sequence[float] | None
Convert = Callable[[object], object]

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(list[object]).decode
_F32 = np.dtype("<f4")


def is_vector(column: "Column[object]") -> bool:
    """Say whether *column* holds vectors: bytes in SQLite, pgvector's in Postgres."""
    return isinstance(column.type, VectorType)


def is_derived(column: "Column[object]") -> bool:
    """Say whether *column* is made of others, by each database in its own way."""
    return isinstance(column.type, TSVECTOR) or column.computed is not None


def write_row(row: Iterable[object], vectors: Sequence[bool]) -> bytes:
    """Return the line of *row*, of which some columns are *vectors*."""
    values = [_written(v, is_one) for v, is_one in zip(row, vectors, strict=True)]
    return _encode(values) + b"\n"


def read_row(line: bytes, vectors: Sequence[bool], *, is_postgres: bool) -> list[object]:
    """Return the values of a row as the database takes them.

    Raises:
        ValueError: The line makes no sense.
    """
    try:
        values = _decode(line)
        if len(values) != len(vectors):
            raise ValueError(len(values))
        return [_read(v, is_postgres) for v in values]
    except (msgspec.MsgspecError, RecursionError) as fault:
        raise ValueError(str(fault)) from fault


def _written(value: object, is_a_vector: bool) -> object:  # noqa: FBT001 - one of a row
    if value is None:
        return None
    if is_a_vector:
        return {"f32": base64.b64encode(_floats(value)).decode()}
    if isinstance(value, bytes | memoryview):
        return {"b64": base64.b64encode(value).decode()}
    if isinstance(value, str | int | float):
        return value
    raise TypeError(type(value))


def _floats(value: object) -> bytes:
    if isinstance(value, str):  # as pgvector writes it
        return np.asarray(msgspec.json.decode(value), _F32).tobytes()
    assert isinstance(value, bytes)
    return value


def _read(value: object, is_postgres: bool) -> object:  # noqa: FBT001
    if isinstance(value, str):
        return value.replace("\0", UNSAYABLE) if is_postgres else value
    if not isinstance(value, dict):
        is_huge = isinstance(value, int) and not -(2**63) <= value < 2**63
        if is_huge or isinstance(value, list):
            raise ValueError(value)
        return value
    ((kind, packed),) = value.items() if len(value) == 1 else (("", ""),)
    content = base64.b64decode(str(packed), validate=True)
    if kind == "f32":
        return np.frombuffer(content, _F32).tolist() if is_postgres else content
    if kind == "b64":
        return content
    raise ValueError(kind)
