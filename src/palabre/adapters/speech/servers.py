"""Calls of speech servers over HTTP: our patience, our errors, bodies of a bounded size."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import httpx2
import msgspec

from palabre.core.models.errors import (
    CutAnswerError,
    OddAnswerError,
    SilentServerError,
    UnreachableServerError,
)
from palabre.kernel.errors import UpstreamError
from palabre.kernel.hosts import is_loopback
from palabre.wire.refusals import words_in

CONNECT_TIMEOUT_S = 5.0
MAX_ANSWER_BYTES = 32 * 1024 * 1024
MAX_ERROR_BYTES = 64 * 1024


class RefusedError(UpstreamError):
    """The server answered with a status that is no success."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail=detail)
        self.status = status


class SpeechServer:
    """One server.

    Args:
        name: What errors call it.
        base_url: What paths are added to.
        api_key: Empty if it wants none.
    """

    def __init__(self, name: str, base_url: str, api_key: str = "") -> None:
        self.name = name
        self._base_url = base_url.rstrip("/")
        headers = {"authorization": f"Bearer {api_key}"} if api_key else {}
        self._http = httpx2.AsyncClient(
            verify=urlsplit(base_url).scheme == "https",
            headers=headers,
            timeout=httpx2.Timeout(None, connect=CONNECT_TIMEOUT_S),
            trust_env=not is_loopback(urlsplit(base_url).hostname or ""),
        )

    async def post_json(self, path: str, body: Mapping[str, object]) -> bytes:
        """Return the answer to *body*.

        Raises:
            UpstreamError: The server is not there, refuses, fails or says too much.
        """
        content = msgspec.json.encode(body)
        headers = {"content-type": "application/json"}
        request = self._http.build_request(
            "POST", self._base_url + path, content=content, headers=headers
        )
        return await self._answer(request)

    async def post_file(self, path: str, file: bytes, fields: Mapping[str, str]) -> bytes:
        """Return the answer to a form with the WAV *file*; raises as `post_json`."""
        files = {"file": ("audio.wav", file, "audio/wav")}
        request = self._http.build_request(
            "POST", self._base_url + path, data=dict(fields), files=files
        )
        return await self._answer(request)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _answer(self, request: httpx2.Request) -> bytes:
        async with self._translated():
            response = await self._http.send(request, stream=True)
            try:
                if response.is_success:
                    return await self._body(response)
                body = await _beginning(response)
            finally:
                await response.aclose()
        raise self._refusal(response, body)

    async def _body(self, response: httpx2.Response) -> bytes:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > MAX_ANSWER_BYTES:
                raise OddAnswerError(service=self.name, detail=f"> {MAX_ANSWER_BYTES} bytes")
        return bytes(body)

    def _refusal(self, response: httpx2.Response, body: bytes) -> RefusedError:
        detail = f"{self.name} returned {response.status_code}: {response.reason_phrase}"
        words = words_in(body)
        return RefusedError(response.status_code, f"{detail} — {words}" if words else detail)

    @asynccontextmanager
    async def _translated(self) -> AsyncIterator[None]:
        try:
            yield
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            detail = str(error) or type(error).__name__
            raise UnreachableServerError(service=self.name, detail=detail) from error
        except httpx2.TimeoutException as error:
            raise SilentServerError(service=self.name) from error
        except (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.StreamError) as error:
            raise CutAnswerError(service=self.name) from error
        except httpx2.HTTPError as error:
            raise UpstreamError(detail=str(error) or type(error).__name__) from error


async def _beginning(response: httpx2.Response) -> bytes:
    body = b""
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MAX_ERROR_BYTES:
            break
    return body[:MAX_ERROR_BYTES]
