"""The calls of the OpenAI protocol, with our errors and our patience."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import cast

import httpx2
import openai
import openai.resources.chat.completions  # else the SDK loads it during the first call
from openai.types.chat import ChatCompletionMessageParam

from palabre.adapters.models.foreign_json import decode
from palabre.adapters.models.openai_request import chat_body
from palabre.adapters.models.openai_wire import Completion, ModelRows, VectorRows, model_info
from palabre.adapters.models.plain_models import PlainModels
from palabre.adapters.models.sse import SseEvents
from palabre.adapters.models.upstream import (
    client,
    once_loaded,
    read_until,
    refusal,
    transport_error,
    words_or_kind,
)
from palabre.core.models.errors import (
    OddAnswerError,
    SilentServerError,
    UnreachableServerError,
)
from palabre.core.models.model import AnswerEvent, ChatRequest, ModelInfo
from palabre.kernel.errors import UpstreamError
from palabre.wire.refusals import words_of

NO_KEY = "none"
"""The SDK insists on a key; servers without one read over it."""

Sampling = Mapping[str, object]
"""Fields beyond the protocol that the server at hand knows, such as `repeat_penalty`."""


class OpenAIServer:
    """One server; limits of concurrent calls are the caller's.

    Args:
        name: What errors call it, and the provider of its models.
        base_url: Address up to and with `/v1`.
        api_key: Empty if the server wants none.
    """

    def __init__(self, name: str, base_url: str, api_key: str) -> None:
        self._name = name
        self._plain = PlainModels()
        self._client = openai.AsyncOpenAI(
            base_url=base_url,
            api_key=api_key or NO_KEY,
            max_retries=0,
            http_client=client(base_url),
        )

    async def chat(
        self, request: ChatRequest, deadline_s: float, sampling: Sampling | None = None
    ) -> AsyncGenerator[AnswerEvent]:
        """Answer *request*, without `AnswerStarted`; closing the generator ends the call.

        While the server says 503 (it is loading) it is asked again, until *deadline_s* (the
        event loop's time). What it refuses with tools or a schema, it is asked without.

        Raises:
            UpstreamError: As `ChatModel.stream`.
        """
        async with AsyncExitStack() as stack:

            async def opened(request: ChatRequest) -> AsyncIterator[bytes]:
                return await self._open(chat_body(request) | extra, deadline_s, stack)

            extra = dict(sampling or {})
            chunks = await self._plain.sent(request, opened)
            events, completion = SseEvents(), Completion()
            while not completion.done:
                chunk = await read_until(deadline_s, chunks, self._name)
                if chunk is None:
                    break
                for data in events.feed(chunk):
                    for event in completion.read(data):
                        yield event
            for event in completion.end():
                yield event

    async def embed(self, model: str, texts: Sequence[str], timeout_s: float) -> list[list[float]]:
        """Return one vector a text; see `Embedder.embed`."""
        async with self._translated(_now_s() + timeout_s):
            response = await self._client.embeddings.with_raw_response.create(
                model=model, input=list(texts), encoding_format="float"
            )
        rows = sorted(decode(response.content, VectorRows).data, key=lambda row: row.index)
        if len(rows) != len(texts):
            raise OddAnswerError(service=self._name, detail=f"{len(rows)}/{len(texts)}")
        return [row.embedding for row in rows]

    async def models(self, timeout_s: float) -> list[ModelInfo]:
        """Return what `GET /models` lists."""
        async with self._translated(_now_s() + timeout_s):
            response = await self._client.models.with_raw_response.list()
        return [model_info(self._name, row) for row in decode(response.content, ModelRows).data]

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _open(
        self, body: Mapping[str, object], deadline_s: float, stack: AsyncExitStack
    ) -> AsyncIterator[bytes]:
        async def attempt() -> AsyncIterator[bytes]:
            call = self._client.chat.completions.with_streaming_response.create(
                model=str(body["model"]),
                messages=cast("list[ChatCompletionMessageParam]", body["messages"]),
                stream=True,
                extra_body=body,
            )
            async with self._translated(deadline_s):
                return (await stack.enter_async_context(call)).iter_bytes()

        return await once_loaded(attempt, deadline_s)

    @asynccontextmanager
    async def _translated(self, deadline_s: float) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout_at(deadline_s):
                yield
        except TimeoutError:
            raise SilentServerError(service=self._name) from None
        except openai.APIStatusError as error:
            raise self._refusal(error) from error
        except openai.APIConnectionError as error:
            raise self._unreachable(error) from error
        except openai.APIError as error:
            raise UpstreamError(detail=error.message) from error

    def _refusal(self, error: openai.APIStatusError) -> UpstreamError:
        words = words_of(error.body) or words_of({"message": error.body})
        return refusal(self._name, error.status_code, error.response.reason_phrase, words)

    def _unreachable(self, error: openai.APIConnectionError) -> UpstreamError:
        if isinstance(error.__cause__, httpx2.HTTPError):
            return transport_error(self._name, error.__cause__)
        return UnreachableServerError(service=self._name, detail=words_or_kind(error))


def _now_s() -> float:
    return asyncio.get_running_loop().time()
