"""Read what a program sends: no more than may be, no longer than may be, and JSON that is JSON."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from starlette.requests import ClientDisconnect, Request

from palabre.kernel.text import text
from palabre.surfaces.http.envelope import MIB
from palabre.surfaces.http.json_bodies import MAX_DEPTH, BodyFault, read_json
from palabre.surfaces.http.program_errors import (
    BodyLateError,
    BodyTooLargeError,
    BodyTypeError,
    BodyUnreadableError,
)

JSON = "application/json"

READ_WITHIN_S = 120
"""A body takes no longer: until it is here, it keeps one of its key's places."""

MAX_COMMAS = 100_000
"""Of a body: each may part two values, and their making holds the interpreter's lock."""

AT_ONCE_BYTES = 64 * 1024
"""A body up to this is read without a thread."""


@asynccontextmanager
async def in_time(limit_s: float = READ_WITHIN_S) -> AsyncGenerator[None]:
    """Read a body within the block.

    Raises:
        BodyLateError: It took longer than *limit_s*.
    """
    waiting = asyncio.timeout(limit_s)
    try:
        async with waiting:
            yield
    except TimeoutError:
        if waiting.expired():
            raise BodyLateError(limit_s=limit_s) from None
        raise


async def pieces_of(request: Request, limit_bytes: int) -> AsyncGenerator[bytes]:
    """Yield the body of *request* as it comes.

    Raises:
        BodyTooLargeError: It has more than *limit_bytes*.
        BodyUnreadableError: It broke off.
    """
    size_bytes = 0
    try:
        async for piece in request.stream():
            size_bytes += len(piece)
            if size_bytes > limit_bytes:
                raise BodyTooLargeError(limit_mb=limit_bytes // MIB)
            yield piece
    except ClientDisconnect:
        raise BodyUnreadableError(text("api.body.broken_off")) from None


async def json_of(request: Request, limit_bytes: int) -> tuple[bytes, Any]:
    """Return the body of *request*, as it came and as the value that it is.

    Raises:
        BodyTypeError: It says that it is no JSON.
        BodyTooLargeError: It has more than *limit_bytes*.
        BodyUnreadableError: It is no JSON, or holds what no text may.
    """
    check_type(request, JSON)
    body = b"".join([piece async for piece in pieces_of(request, limit_bytes)])
    is_small = len(body) <= AT_ONCE_BYTES
    return body, decoded(body) if is_small else await asyncio.to_thread(decoded, body)


def check_type(request: Request, wanted: str) -> None:
    """Refuse a body that says that it is something else.

    Raises:
        BodyTypeError: It does.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != wanted:
        raise BodyTypeError(wanted=wanted)


def decoded(body: bytes) -> Any:
    """Return the JSON value that *body* is; may take a while.

    Raises:
        BodyUnreadableError: It is none, or more than fits.
    """
    if body.count(b",") > MAX_COMMAS:
        raise BodyUnreadableError(text("api.body.values", limit=MAX_COMMAS))
    value = read_json(body)
    if isinstance(value, BodyFault):
        raise BodyUnreadableError(text(f"api.body.{value.code}", limit=MAX_DEPTH))
    return value
