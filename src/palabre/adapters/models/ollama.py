"""Ollama over its own routes."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import TypeVar

import httpx2
import msgspec

from palabre.adapters.models.embedding_prefix import prefixed
from palabre.adapters.models.foreign_json import decode
from palabre.adapters.models.ndjson import NdjsonLines
from palabre.adapters.models.ollama_request import chat_body
from palabre.adapters.models.ollama_wire import (
    Embedded,
    Shown,
    Tag,
    Tags,
    Version,
    chat_events,
    model_info,
    pull_progress,
)
from palabre.adapters.models.plain_models import PlainModels
from palabre.adapters.models.upstream import (
    HEALTH_TIMEOUT_S,
    LIST_TIMEOUT_S,
    client,
    error_body,
    once_loaded,
    read_until,
    refusal,
    transport_error,
)
from palabre.core.models.errors import (
    CutAnswerError,
    ModelNotFoundError,
    OddAnswerError,
    SilentServerError,
    reason_of,
)
from palabre.core.models.model import (
    OLLAMA,
    AnswerEnded,
    AnswerEvent,
    AnswerStarted,
    ChatRequest,
    EmbeddingPurpose,
    ModelInfo,
    ProviderHealth,
    PullProgress,
)
from palabre.core.models.slots import CallSlots
from palabre.kernel.errors import UpstreamError
from palabre.kernel.text import verbatim
from palabre.wire.refusals import words_in

KEEP_ALIVE = "30m"
PULL_SILENCE_S = 300.0

TITLE = "Ollama"
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
    title = TITLE

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
        self._plain = PlainModels()
        self._shown: dict[tuple[str, str | None], Shown] = {}

    async def stream(self, request: ChatRequest) -> AsyncGenerator[AnswerEvent]:
        """Answer *request*; see `ChatModel.stream`."""
        async with self._slots.hold(request.on_behalf_of):
            deadline_s = asyncio.get_running_loop().time() + self._timeout_s
            yield AnswerStarted()
            response = await self._plain.sent(
                request,
                lambda fit: self._open("/api/chat", chat_body(fit, self._keep_alive), deadline_s),
            )
            async with aclosing(_lines(response, lambda: deadline_s)) as lines:
                async for line in lines:
                    for event in chat_events(line):
                        yield event
                        if isinstance(event, AnswerEnded):
                            return
            raise CutAnswerError(service=TITLE)

    async def embed(
        self,
        model: str,
        texts: Sequence[str],
        purpose: EmbeddingPurpose = "passage",
    ) -> list[list[float]]:
        """Return one vector a text; see `Embedder.embed`."""
        async with self._slots.hold("embed"):
            read = prefixed(model, texts, purpose)
            body = {"model": model, "input": read, "keep_alive": self._keep_alive}
            found = await self._ask("POST", "/api/embed", Embedded, body, self._timeout_s)
        if len(found.embeddings) != len(texts):
            raise OddAnswerError(service=TITLE, detail=f"{len(found.embeddings)}/{len(texts)}")
        return found.embeddings

    async def health(self) -> ProviderHealth:
        """Say whether it answers; a server without `/api/version` counts as one that does."""
        try:
            found = await self._ask("GET", "/api/version", Version, None, HEALTH_TIMEOUT_S)
        except ModelNotFoundError:
            return ProviderHealth(ok=True)
        except UpstreamError as error:
            return ProviderHealth(ok=False, detail=reason_of(error))
        return ProviderHealth(ok=True, detail=verbatim(found.version))

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
        response = await self._open("/api/pull", body, clock() + PULL_SILENCE_S)
        async with aclosing(_lines(response, lambda: clock() + PULL_SILENCE_S)) as lines:
            async for line in lines:
                progress = pull_progress(line)
                yield progress
                if progress.status == "success":
                    return
        raise CutAnswerError(service=TITLE)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _open(self, path: str, body: object, deadline_s: float) -> httpx2.Response:
        """Return the response to *body*, whose lines are yet to be read.

        While the server says 503 (it is loading, or full) it is asked again, until the deadline.
        """
        return await once_loaded(lambda: self._send("POST", path, body, deadline_s), deadline_s)

    async def _send(
        self, method: str, path: str, body: object | None, deadline_s: float
    ) -> httpx2.Response:
        """Return the response to *body*, which is a success and yet to be read."""
        request = self._http.build_request(
            method,
            path,
            content=None if body is None else msgspec.json.encode(body),
            headers={"content-type": "application/json"},
        )
        try:
            async with asyncio.timeout_at(deadline_s):
                response = await self._http.send(request, stream=True)
        except TimeoutError:
            raise SilentServerError(service=TITLE) from None
        except httpx2.HTTPError as error:
            raise transport_error(TITLE, error) from error
        if not response.is_success:
            raise await _refusal(response, deadline_s)
        return response

    async def _ask(
        self, method: str, path: str, kind: type[T], body: object | None, timeout_s: float
    ) -> T:
        deadline_s = asyncio.get_running_loop().time() + timeout_s
        response = await self._send(method, path, body, deadline_s)
        try:
            async with asyncio.timeout_at(deadline_s):
                return decode(await response.aread(), kind)
        except TimeoutError:
            raise SilentServerError(service=TITLE) from None
        except httpx2.HTTPError as error:
            raise transport_error(TITLE, error) from error
        except OddAnswerError as error:
            detail = f"{path}: {error.data['detail']}"
            raise OddAnswerError(service=TITLE, detail=detail) from error
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


async def _lines(response: httpx2.Response, deadline: Callable[[], float]) -> AsyncGenerator[bytes]:
    """Give the lines of *response*, and close it.

    Args:
        response: A success, yet to be read.
        deadline: Returns the event loop's time by which the next piece must have come.
    """
    lines, chunks = NdjsonLines(), response.aiter_bytes()
    try:
        while (chunk := await read_until(deadline(), chunks, TITLE)) is not None:
            for line in lines.feed(chunk):
                yield line
        for line in lines.finish():
            yield line
    finally:
        await response.aclose()


async def _refusal(response: httpx2.Response, deadline_s: float) -> UpstreamError:
    try:
        async with asyncio.timeout_at(deadline_s):
            words = words_in(await error_body(response))
    except (TimeoutError, httpx2.HTTPError):
        words = ""
    finally:
        await response.aclose()
    return refusal(TITLE, response.status_code, response.reason_phrase, words)
