"""Read the JSON that a program sends, and check what is asked by it."""

import asyncio
from collections.abc import Collection, Mapping
from typing import Any, TypeVar

import msgspec
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails
from starlette.requests import ClientDisconnect, Request

from palabre.surfaces.http.json_bodies import fault_in
from palabre.surfaces.openai.errors import (
    BodyTooLargeError,
    BodyTypeError,
    BodyUnreadableError,
    ParameterInvalidError,
    ParameterUnsupportedError,
)

MIB = 1024 * 1024
MAX_BODY_BYTES = 20 * MIB
"""A picture of 12 MiB in base64, or several smaller ones: decoding holds the interpreter's lock."""

MAX_COMMAS = 500_000
"""Of a body, for the same reason: each may part two values."""

AT_ONCE_BYTES = 64 * 1024
"""A body up to this is read without a thread."""

B = TypeVar("B", bound="Body")
Harmless = Mapping[str, Collection[object]]
"""Parameters that nobody here obeys, with the values by which they ask for nothing."""


class Body(BaseModel):
    """What is asked. Parameters that are not named are passed over, as `docs/api.md` says."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=False)


async def read_json(request: Request) -> dict[str, Any]:
    """Return the object that is the body of *request*.

    Raises:
        BodyTypeError: It says that it is no JSON.
        BodyTooLargeError: It has more than `MAX_BODY_BYTES`.
        BodyUnreadableError: It is no JSON object, or holds what no text may.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise BodyTypeError(wanted="application/json")
    body = await read_bytes(request, MAX_BODY_BYTES)
    return _decoded(body) if len(body) <= AT_ONCE_BYTES else await asyncio.to_thread(_decoded, body)


async def read_bytes(request: Request, limit_bytes: int) -> bytes:
    """Return the body of *request*.

    Raises:
        BodyTooLargeError: It has more than *limit_bytes*.
        BodyUnreadableError: It broke off.
    """
    pieces, size_bytes = [], 0
    try:
        async for piece in request.stream():
            size_bytes += len(piece)
            if size_bytes > limit_bytes:
                raise BodyTooLargeError(limit_mb=limit_bytes // MIB)
            pieces.append(piece)
    except ClientDisconnect:
        raise BodyUnreadableError(detail="it broke off") from None
    return b"".join(pieces)


def checked(body: Mapping[str, Any], kind: type[B], refused: Harmless) -> B:
    """Return *body* as what it asks for.

    Raises:
        ParameterUnsupportedError: It asks for something of *refused*.
        ParameterInvalidError: A value is wrong; one of them is told.
    """
    for name, harmless in refused.items():
        if body.get(name) is not None and body[name] not in harmless:
            raise ParameterUnsupportedError(param=name)
    try:
        return kind.model_validate(body)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        place, wrong = min(((_place(each, body), each) for each in found), key=_vagueness)
        detail = wrong["msg"]
        raise ParameterInvalidError(param=place or "body", detail=detail) from None


def _place(wrong: ErrorDetails, body: Mapping[str, Any]) -> str:
    """Return where that is, as a program knows it: without the kinds that a value was tried as."""
    value: Any = body
    known: list[str] = []
    for each in wrong["loc"]:
        if isinstance(value, dict) and (each in value or wrong["type"] == "missing"):
            value = value.get(each)
        elif isinstance(value, list) and isinstance(each, int):
            value = value[each]
        else:
            continue
        known.append(str(each))
    return ".".join(known)


def _vagueness(found: tuple[str, ErrorDetails]) -> tuple[bool, int]:
    """Order mistakes: where a text or a list is taken, that of a list tells more."""
    place, wrong = found
    return wrong["type"] == "string_type", -place.count(".")


def _decoded(body: bytes) -> dict[str, Any]:
    if body.count(b",") > MAX_COMMAS:
        raise BodyUnreadableError(detail=f"more than {MAX_COMMAS} values")
    if (fault := fault_in(body)) is not None:
        raise BodyUnreadableError(detail=fault.message)
    value = msgspec.json.decode(body)
    if not isinstance(value, dict):
        raise BodyUnreadableError(detail="not a JSON object")
    return value
