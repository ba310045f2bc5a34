"""What all model servers that we reach over HTTP have in common: failures and patience."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from http import HTTPStatus
from itertools import chain, repeat
from typing import TypeVar
from urllib.parse import urlsplit

import httpx2

from palabre.core.models.errors import (
    CutAnswerError,
    ModelNotFoundError,
    SilentServerError,
    UnreachableServerError,
)
from palabre.kernel.errors import UpstreamError
from palabre.kernel.hosts import is_loopback

CONNECT_TIMEOUT_S = 5.0
HEALTH_TIMEOUT_S = 2.0
LIST_TIMEOUT_S = 3.0
MAX_ERROR_BYTES = 64 * 1024

T = TypeVar("T")


class LoadingError(UpstreamError):
    """The server will answer once its model is loaded (503)."""


class RejectedError(UpstreamError):
    """The server does not want such a request (400)."""


def client(base_url: str) -> httpx2.AsyncClient:
    """Return a client that waits for answers as long as its caller does.

    Proxies of the environment are for hosts out there, never for this machine. The system's
    certificates take long to read, so they are only where the address asks for TLS.
    """
    return httpx2.AsyncClient(
        verify=urlsplit(base_url).scheme == "https",
        base_url=base_url,
        timeout=httpx2.Timeout(None, connect=CONNECT_TIMEOUT_S),
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=8),
        trust_env=not is_loopback(urlsplit(base_url).hostname or ""),
    )


def growing_waits_s() -> Iterator[float]:
    """Return how long to wait before each new try at a server that is still loading."""
    return chain((0.25, 0.5, 1.0, 2.0), repeat(4.0))


async def once_loaded(attempt: Callable[[], Awaitable[T]], deadline_s: float) -> T:
    """Return what *attempt* does; while the server is loading, try again.

    Args:
        attempt: Asks the server.
        deadline_s: The event loop's time after which there is no new try.

    Raises:
        UpstreamError: As *attempt*.
    """
    waits_s = growing_waits_s()
    while True:
        try:
            return await attempt()
        except LoadingError:
            wait_s = next(waits_s)
            if asyncio.get_running_loop().time() + wait_s > deadline_s:
                raise
            await asyncio.sleep(wait_s)


def refusal(server: str, status: int, reason: str, words: str = "") -> UpstreamError:
    """Translate an HTTP status that is no success, and the server's own *words*."""
    detail = status_detail(server, status, reason, words)
    match status:
        case HTTPStatus.NOT_FOUND:
            return ModelNotFoundError(detail=detail)
        case HTTPStatus.BAD_REQUEST:
            return RejectedError(detail=detail)
        case HTTPStatus.SERVICE_UNAVAILABLE:
            return LoadingError(detail=detail)
        case _:
            return UpstreamError(detail=detail)


def status_detail(server: str, status: int, reason: str, words: str = "") -> str:
    """Word a refusal, such as `Ollama returned 500: Internal Server Error`.

    The server's own *words* follow after a dash where there are any.
    """
    detail = f"{server} returned {status}: {reason or _phrase(status)}"
    return f"{detail} — {words}" if words else detail


def transport_error(server: str, error: httpx2.HTTPError | httpx2.StreamError) -> UpstreamError:
    """Translate a failure below HTTP."""
    match error:
        case httpx2.ConnectError() | httpx2.ConnectTimeout():
            return UnreachableServerError(service=server, detail=words_or_kind(error))
        case httpx2.TimeoutException():
            return SilentServerError(service=server)
        case httpx2.RemoteProtocolError() | httpx2.ReadError():
            return CutAnswerError(service=server)
        case _:
            return UpstreamError(detail=words_or_kind(error))


def words_or_kind(error: Exception) -> str:
    """Return the words of *error*, or what it is where it has none."""
    return str(error) or type(error).__name__


async def read_until(deadline_s: float, chunks: AsyncIterator[bytes], server: str) -> bytes | None:
    """Return the next of *chunks*, None at the end.

    Args:
        deadline_s: The event loop's time by which it must have come.
        chunks: A response's body.
        server: Whom to blame.

    Raises:
        UpstreamError: It came too late, or the connection broke.
    """
    try:
        async with asyncio.timeout_at(deadline_s):
            return await anext(chunks)
    except StopAsyncIteration:
        return None
    except TimeoutError:
        raise SilentServerError(service=server) from None
    except (httpx2.HTTPError, httpx2.StreamError) as error:
        raise transport_error(server, error) from error


async def error_body(response: httpx2.Response) -> bytes:
    """Return the beginning of the body of a refusal."""
    body = b""
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MAX_ERROR_BYTES:
            break
    return body[:MAX_ERROR_BYTES]


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "unknown status"
