"""Servers that speak the OpenAI protocol: llama.cpp, vLLM, LM Studio and others."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from palabre.adapters.models.embedding_prefix import prefixed
from palabre.adapters.models.openai_server import OpenAIServer
from palabre.adapters.models.upstream import HEALTH_TIMEOUT_S, LIST_TIMEOUT_S
from palabre.core.models.errors import reason_of
from palabre.core.models.model import (
    AnswerEvent,
    AnswerStarted,
    ChatRequest,
    EmbeddingPurpose,
    ModelInfo,
    ProviderHealth,
)
from palabre.core.models.slots import CallSlots
from palabre.kernel.errors import UpstreamError
from palabre.kernel.text import text


class OpenAICompatibleProvider:
    """Models of one such server.

    Args:
        name: First part of its models' names.
        base_url: Address up to and with `/v1`.
        api_key: Empty if the server wants none.
        slots: Calls at once.
        timeout_s: Longest call, counted from when it has its slot.
    """

    def __init__(
        self,
        name: str,
        base_url: str,
        api_key: str,
        *,
        slots: CallSlots,
        timeout_s: float,
    ) -> None:
        self._name = name
        self._slots = slots
        self._timeout_s = timeout_s
        self._server = OpenAIServer(name, base_url, api_key)

    @property
    def name(self) -> str:
        """First part of its models' names."""
        return self._name

    @property
    def title(self) -> str:
        """What people call it: the name that its entry has."""
        return self._name

    async def stream(self, request: ChatRequest) -> AsyncGenerator[AnswerEvent]:
        """Answer *request*; see `ChatModel.stream`."""
        async with self._slots.hold(request.on_behalf_of):
            deadline_s = asyncio.get_running_loop().time() + self._timeout_s
            yield AnswerStarted()
            async with aclosing(self._server.chat(request, deadline_s)) as answer:
                async for event in answer:
                    yield event

    async def embed(
        self,
        model: str,
        texts: Sequence[str],
        purpose: EmbeddingPurpose = "passage",
    ) -> list[list[float]]:
        """Return one vector a text; see `Embedder.embed`."""
        async with self._slots.hold("embed"):
            read = prefixed(model, texts, purpose)
            return await self._server.embed(model, read, self._timeout_s)

    async def health(self) -> ProviderHealth:
        """Say whether it lists its models."""
        try:
            found = await self._server.models(HEALTH_TIMEOUT_S)
        except UpstreamError as error:
            return ProviderHealth(ok=False, detail=reason_of(error))
        return ProviderHealth(ok=True, detail=text("model_health.lists", count=len(found)))

    async def models(self) -> list[ModelInfo]:
        """Return what the server lists."""
        return await self._server.models(LIST_TIMEOUT_S)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._server.aclose()
