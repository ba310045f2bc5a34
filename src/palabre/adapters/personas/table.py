"""TOML tables to typed values, naming every key that is wrong and not only the first."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from palabre.core.personas.errors import PersonaFilesError, Problem
from palabre.kernel.nearest import nearest

FILE_SIZE_MAX_BYTES = 64 * 1024

S = TypeVar("S", bound=msgspec.Struct)


def read_toml(path: Path) -> dict[str, object]:
    """Return what the file at *path* holds.

    Raises:
        PersonaFilesError: It cannot be read, is too large, not UTF-8, or not TOML.
    """
    content = _read_bytes(path)
    if len(content) > FILE_SIZE_MAX_BYTES:
        raise _refused(path, "too_large", most=FILE_SIZE_MAX_BYTES // 1024)
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise _refused(path, "not_utf8", line=line) from error
    # tomllib recurses at nested arrays, and int() refuses numbers of thousands of digits.
    except (ValueError, RecursionError) as error:
        raise _refused(path, "not_toml", detail=str(error)) from error


def to_struct(table: Mapping[str, object], kind: type[S], file: str) -> S:
    """Return *table*, found in *file*, as a *kind*.

    Raises:
        PersonaFilesError: Keys are unknown, missing, or hold what they may not.
    """
    problems = [*_unknown(table, kind, file), *_unfit(table, kind, file)]
    if problems:
        raise PersonaFilesError(problems)
    return msgspec.convert(table, kind)


def _read_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(FILE_SIZE_MAX_BYTES + 1)
    except OSError as error:
        raise _refused(path, "unreadable", detail=error.strerror or str(error)) from error


def _refused(path: Path, code: str, **data: str | int) -> PersonaFilesError:
    return PersonaFilesError([Problem(str(path), code, data)])


def _unknown(table: Mapping[str, object], kind: type[S], file: str) -> Iterator[Problem]:
    known = [field.name for field in msgspec.structs.fields(kind)]
    for key in table:
        if key in known:
            continue
        if near := nearest(key, known):
            yield Problem(file, "unknown_key_near", {"key": key, "nearest": near})
        else:
            yield Problem(file, "unknown_key", {"key": key})


def _unfit(table: Mapping[str, object], kind: type[S], file: str) -> Iterator[Problem]:
    for field in msgspec.structs.fields(kind):
        if field.name not in table:
            if field.required:
                yield Problem(file, "missing_key", {"key": field.name})
            continue
        try:
            msgspec.convert(table[field.name], field.type)
        except msgspec.ValidationError as error:
            yield Problem(file, f"bad_{field.name}", {"detail": str(error)})
