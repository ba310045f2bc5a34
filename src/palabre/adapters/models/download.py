"""Files over HTTP, continued where they stopped."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import httpx2

from palabre.adapters.models.part_file import BLOCK_BYTES, PartFile
from palabre.adapters.models.upstream import growing_waits_s, status_detail, words_or_kind
from palabre.core.models.errors import UnreachableServerError
from palabre.core.models.model import PullProgress
from palabre.kernel.errors import UpstreamError

PROBE_TIMEOUT_S = 3.0
SILENCE_S = 30.0
TRIES_WITHOUT_PROGRESS = 5


class UnreachableError(UpstreamError):
    """The source gave not one byte: another may."""


class NoAnswerError(UnreachableError):
    """There is no server, or no network."""

    code = UnreachableServerError.code


class _CutError(UpstreamError):
    """The connection broke on the way."""


async def download(
    http: httpx2.AsyncClient, url: str, part: PartFile
) -> AsyncGenerator[PullProgress]:
    """Fetch *url* into *part*, which is left open; a cut connection is taken up again.

    Raises:
        UnreachableError: There is no answer within `PROBE_TIMEOUT_S`, or a refusal.
        UpstreamError: It broke off too often.
    """
    await _probe(http, url)
    tries, waits_s = TRIES_WITHOUT_PROGRESS, growing_waits_s()
    await asyncio.to_thread(part.open, resume=True)
    while True:
        before_bytes = part.length_bytes
        try:
            async with aclosing(_transfer(http, url, part)) as progress:
                async for each in progress:
                    yield each
        except _CutError:
            tries = tries - 1 if part.length_bytes == before_bytes else TRIES_WITHOUT_PROGRESS
            if not tries:
                raise
            await asyncio.sleep(next(waits_s))
        else:
            return


async def _probe(http: httpx2.AsyncClient, url: str) -> None:
    try:
        async with asyncio.timeout(PROBE_TIMEOUT_S):
            response = await http.head(url)
    except TimeoutError:
        raise NoAnswerError(service=_host(url), detail=f"{PROBE_TIMEOUT_S:g} s") from None
    except httpx2.HTTPError as error:
        raise NoAnswerError(service=_host(url), detail=words_or_kind(error)) from error
    if response.is_error:
        detail = status_detail(_host(url), response.status_code, response.reason_phrase)
        raise UnreachableError(detail=detail)


async def _transfer(
    http: httpx2.AsyncClient, url: str, part: PartFile
) -> AsyncGenerator[PullProgress]:
    headers = {"range": f"bytes={part.length_bytes}-", "accept-encoding": "identity"}
    try:
        async with http.stream("GET", url, headers=headers) as response:
            await _position(response, part)
            total_bytes = _total_bytes(response, part.length_bytes)
            async for block in response.aiter_bytes(BLOCK_BYTES):
                await asyncio.to_thread(part.write, block)
                yield PullProgress("downloading", part.length_bytes, total_bytes)
    except httpx2.HTTPError as error:
        raise _CutError(detail=f"{_host(url)}: {words_or_kind(error)}") from error


async def _position(response: httpx2.Response, part: PartFile) -> None:
    """Begin anew where the server does not continue."""
    if response.status_code == httpx2.codes.PARTIAL_CONTENT:
        return
    await asyncio.to_thread(part.open, resume=False)
    if response.status_code != httpx2.codes.OK:
        detail = status_detail(
            _host(str(response.url)), response.status_code, response.reason_phrase
        )
        raise _CutError(detail=detail)


def _total_bytes(response: httpx2.Response, done_bytes: int) -> int | None:
    length = response.headers.get("content-length", "")
    return done_bytes + int(length) if length.isdecimal() else None


def _host(url: str) -> str:
    return httpx2.URL(url).host
