"""Ollama over its own routes."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeVar

import httpx2
import msgspec

from palabre.adapters.models.ndjson import NdjsonLines
from palabre.adapters.models.ollama_wire import (
    Embedded,
    Shown,
    Tag,
    Tags,
    Version,
    chat_body,
    chat_events,
    model_info,
    pull_progress,
)
from palabre.adapters.models.upstream import (
    HEALTH_TIMEOUT_S,
    LIST_TIMEOUT_S,
    client,
    error_body,
    error_words,
    growing_waits_s,
    read_until,
    status_detail,
    transport_error,
)
from palabre.core.models.errors import ModelNotFoundError
from palabre.core.models.model import (
    OLLAMA,
    AnswerEnded,
    AnswerEvent,
    AnswerStarted,
    ChatRequest,
    ModelInfo,
    ProviderHealth,
    PullProgress,
)
from palabre.core.models.slots import CallSlots
from palabre.kernel.errors import UpstreamError

KEEP_ALIVE = "30m"
PULL_SILENCE_S = 300.0

SERVER = "Ollama"
T = TypeVar("T")


class OllamaProvider:
    """Models of an Ollama server.

    Args:
        slots: Calls at once (seed 000, §5.8: 3).
        base_url: Where it listens.
        timeout_s: Longest call, counted from when it has its slot.
        keep_alive: How long the model stays in memory after a call.
    """

    name = OLLAMA

    def __init__(
        self,
        slots: CallSlots,
        base_url: str,
        *,
        timeout_s: float,
        keep_alive: str = KEEP_ALIVE,
    ) -> None:
        self._slots = slots
        self._timeout_s = timeout_s
        self._keep_alive = keep_alive
        self._http = client(base_url)
        self._shown: dict[tuple[str, str | None], Shown] = {}

    async def stream(self, request: ChatRequest) -> AsyncGenerator[AnswerEvent]:
        """Answer *request*; see `ChatModel.stream`."""
        async with self._slots.hold(request.on_behalf_of):
            deadline_s = asyncio.get_running_loop().time() + self._timeout_s
            yield AnswerStarted()
            body = chat_body(request, self._keep_alive)
            async with self._post("/api/chat", body, deadline_s) as response:
                lines, chunks = NdjsonLines(), response.aiter_bytes()
                ended = False
                while not ended:
                    chunk = await read_until(deadline_s, chunks, SERVER)
                    for line in lines.finish() if chunk is None else lines.feed(chunk):
                        for event in chat_events(line):
                            yield event
                            ended = ended or isinstance(event, AnswerEnded)
                    if chunk is None and not ended:
                        raise UpstreamError(detail=f"{SERVER} cut its answer short")

    async def embed(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text; see `Embedder.embed`."""
        async with self._slots.hold("embed"):
            body = {"model": model, "input": list(texts), "keep_alive": self._keep_alive}
            found = await self._ask("POST", "/api/embed", Embedded, body, self._timeout_s)
        if len(found.embeddings) != len(texts):
            detail = f"{SERVER} returned {len(found.embeddings)} vectors for {len(texts)} texts"
            raise UpstreamError(detail=detail)
        return found.embeddings

    async def health(self) -> ProviderHealth:
        """Say whether it answers; a server without `/api/version` counts as one that does."""
        try:
            found = await self._ask("GET", "/api/version", Version, None, HEALTH_TIMEOUT_S)
        except ModelNotFoundError:
            return ProviderHealth(ok=True)
        except UpstreamError as error:
            return ProviderHealth(ok=False, detail=str(error.data["detail"]))
        return ProviderHealth(ok=True, detail=found.version)

    async def models(self) -> list[ModelInfo]:
        """Return what is installed, and what of it is loaded."""
        tags, loaded = await asyncio.gather(self._tags("/api/tags"), self._loaded())
        shown = await asyncio.gather(*(self._show(tag) for tag in tags))
        return [
            model_info(self.name, tag, show, loaded=tag.name in loaded)
            for tag, show in zip(tags, shown, strict=True)
        ]

    async def pull(self, model: str) -> AsyncGenerator[PullProgress]:
        """Let Ollama fetch *model*."""
        clock = asyncio.get_running_loop().time
        body = {"model": model, "stream": True}
        async with self._post("/api/pull", body, clock() + PULL_SILENCE_S) as response:
            lines, chunks = NdjsonLines(), response.aiter_bytes()
            done = False
            while not done:
                chunk = await read_until(clock() + PULL_SILENCE_S, chunks, SERVER)
                for line in lines.finish() if chunk is None else lines.feed(chunk):
                    progress = pull_progress(line)
                    yield progress
                    done = progress.status == "success"
                if chunk is None and not done:
                    raise UpstreamError(detail=f"{SERVER} cut the download short")

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    @asynccontextmanager
    async def _post(
        self, path: str, body: object, deadline_s: float
    ) -> AsyncIterator[httpx2.Response]:
        """Send *body* and give the response once it is a success.

        While the server says 503 (it is loading, or full) it is asked again, until the deadline.
        """
        waits_s = growing_waits_s()
        content = msgspec.json.encode(body)
        async with AsyncExitStack() as stack:
            while True:
                response = await self._send("POST", path, content, deadline_s)
                stack.push_async_callback(response.aclose)
                if response.is_success:
                    break
                refusal = await self._refusal(response, deadline_s)
                await response.aclose()
                wait_s = next(waits_s)
                late = asyncio.get_running_loop().time() + wait_s > deadline_s
                if response.status_code != httpx2.codes.SERVICE_UNAVAILABLE or late:
                    raise refusal
                await asyncio.sleep(wait_s)
            yield response

    async def _send(
        self, method: str, path: str, content: bytes | None, deadline_s: float
    ) -> httpx2.Response:
        request = self._http.build_request(
            method, path, content=content, headers={"content-type": "application/json"}
        )
        try:
            async with asyncio.timeout_at(deadline_s):
                return await self._http.send(request, stream=True)
        except TimeoutError:
            raise UpstreamError(detail=f"{SERVER} took too long") from None
        except httpx2.HTTPError as error:
            raise transport_error(SERVER, error) from error

    async def _refusal(self, response: httpx2.Response, deadline_s: float) -> UpstreamError:
        try:
            async with asyncio.timeout_at(deadline_s):
                words = error_words(await error_body(response))
        except (TimeoutError, httpx2.HTTPError):
            words = ""
        status = response.status_code
        detail = status_detail(SERVER, status, response.reason_phrase, words)
        if status == httpx2.codes.NOT_FOUND:
            return ModelNotFoundError(detail=detail)
        return UpstreamError(detail=detail)

    async def _ask(
        self, method: str, path: str, kind: type[T], body: object | None, timeout_s: float
    ) -> T:
        deadline_s = asyncio.get_running_loop().time() + timeout_s
        content = None if body is None else msgspec.json.encode(body)
        response = await self._send(method, path, content, deadline_s)
        try:
            if not response.is_success:
                raise await self._refusal(response, deadline_s)
            async with asyncio.timeout_at(deadline_s):
                return msgspec.json.decode(await response.aread(), type=kind)
        except TimeoutError:
            raise UpstreamError(detail=f"{SERVER} took too long") from None
        except httpx2.HTTPError as error:
            raise transport_error(SERVER, error) from error
        except msgspec.DecodeError as error:
            raise UpstreamError(detail=f"{SERVER} answered {path} oddly: {error}") from error
        finally:
            await response.aclose()

    async def _tags(self, path: str) -> list[Tag]:
        return (await self._ask("GET", path, Tags, None, LIST_TIMEOUT_S)).models or []

    async def _loaded(self) -> frozenset[str]:
        try:
            return frozenset(tag.name for tag in await self._tags("/api/ps"))
        except UpstreamError:
            return frozenset()

    async def _show(self, tag: Tag) -> Shown:
        """Ask once for each version of a model what it can do; old servers do not tell."""
        key = (tag.name, tag.digest)
        if key not in self._shown:
            try:
                self._shown[key] = await self._ask(
                    "POST", "/api/show", Shown, {"model": tag.name}, LIST_TIMEOUT_S
                )
            except UpstreamError:
                return Shown()
        return self._shown[key]
