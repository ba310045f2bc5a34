"""Models inside Palabre: llama.cpp's server in a child process, started at the first need."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from importlib.util import find_spec

from palabre.adapters.models import e5_embedder
from palabre.adapters.models.e5_embedder import E5Embedder
from palabre.adapters.models.llama_child import TITLE, LlamaChild, LlamaOptions
from palabre.adapters.models.openai_server import OpenAIServer
from palabre.adapters.models.weights import WeightStore
from palabre.adapters.models.weights_catalogue import Weights
from palabre.core.models.errors import ModelNotFetchedError, ModelNotFoundError
from palabre.core.models.model import (
    EMBEDDED,
    AnswerEvent,
    AnswerStarted,
    Capability,
    ChatRequest,
    EmbeddingPurpose,
    ModelInfo,
    ProviderHealth,
    PullProgress,
)
from palabre.core.models.slots import CallSlots
from palabre.kernel.errors import UpstreamError
from palabre.kernel.text import text, verbatim

DEATH_NEWS_S = 0.5
ENGINE = "xllamacpp"

SAMPLING: Mapping[str, float] = {"repeat_penalty": 1.1, "top_p": 0.8, "top_k": 20}
TEMPERATURE = 0.7
"""Small models loop and ramble with a server's usual sampling; these are what Qwen advises."""

AVOIDANCE = -8.0
"""Taken from the logits of a word to avoid: possible still, where nothing else would make sense."""

CAPABILITIES = frozenset({Capability.CHAT, Capability.CONTINUE})


class EmbeddedProvider:
    """Weights of a store, answered by a child process with one of them in memory; and vectors.

    Args:
        store: The weights.
        preferred: Names of tiers or weights, best first: so `models` lists them, and the
            first is what `pull` fetches under the name `auto`.
        slots: Calls at once; more than one only makes all of them slower.
        options: How llama.cpp runs.
        timeout_s: Longest call, loading included, counted from when it has its slot.
        embedder: What makes vectors; None is the one that comes along.
    """

    name = EMBEDDED
    title = TITLE

    def __init__(
        self,
        store: WeightStore,
        preferred: Sequence[str],
        slots: CallSlots,
        options: LlamaOptions,
        *,
        timeout_s: float,
        embedder: E5Embedder | None = None,
    ) -> None:
        self.store = store
        self.preferred = tuple(preferred)
        self._slots = slots
        self._options = options
        self._timeout_s = timeout_s
        self._child: LlamaChild | None = None
        self._server: OpenAIServer | None = None
        self._starting = asyncio.Lock()
        self._embedder = embedder or E5Embedder(options.threads)

    @property
    def has_engine(self) -> bool:
        """Whether llama.cpp is installed."""
        return find_spec(ENGINE) is not None

    async def stream(self, request: ChatRequest) -> AsyncGenerator[AnswerEvent]:
        """Answer *request*; see `ChatModel.stream`."""
        async with self._slots.hold(request.on_behalf_of):
            deadline_s = asyncio.get_running_loop().time() + self._timeout_s
            yield AnswerStarted()
            async with aclosing(self._answer(request, deadline_s)) as answer:
                async for event in answer:
                    yield event

    async def embed(
        self, model: str, texts: Sequence[str], purpose: EmbeddingPurpose = "passage"
    ) -> list[list[float]]:
        """Return one vector a text; see `Embedder.embed`."""
        if model != e5_embedder.MODEL:
            raise ModelNotFoundError(detail=model)
        return await self._embedder.embed(texts, purpose)

    async def health(self) -> ProviderHealth:
        """Say whether there is an engine, and something to run on it."""
        if not self.has_engine:
            return ProviderHealth(ok=False, detail=text("model_health.no_engine", engine=ENGINE))
        if not self.installed():
            return ProviderHealth(ok=False, detail=text("model_health.no_weights"))
        return ProviderHealth(
            ok=True, detail=verbatim(", ".join(each.name for each in self.installed()))
        )

    async def models(self) -> list[ModelInfo]:
        """Return what was fetched, the preferred ones first, and what makes vectors last."""
        return [*map(self._info, self.installed()), *self._embedders()]

    async def pull(self, model: str) -> AsyncGenerator[PullProgress]:
        """Fetch a tier, weights by their name, or `auto`: what suits this machine."""
        async with aclosing(self.store.fetch(self._wanted(model))) as progress:
            async for each in progress:
                yield each

    def fetched(self, model: str) -> str:
        """Return the name of the weights that are here after `pull` of *model*."""
        found = self.store.find(self._wanted(model))
        return next((each.name for each in found if self.store.has(each)), model)

    async def aclose(self) -> None:
        """End the child process, and the thread that makes vectors."""
        self._embedder.close()
        await self._stop_child()

    async def _stop_child(self) -> None:
        server, child = self._server, self._child
        self._server = self._child = None
        if server is not None:
            await server.aclose()
        if child is not None:
            await child.stop()

    def installed(self) -> list[Weights]:
        """Return the weights that are here, the preferred ones first."""
        preferred = [each for name in self.preferred for each in self.store.find(name)]
        ordered = dict.fromkeys((*preferred, *self.store.known("chat")))
        return [weights for weights in ordered if self.store.has(weights)]

    def _wanted(self, model: str) -> str:
        return self.preferred[0] if model == "auto" else model

    async def _answer(self, request: ChatRequest, deadline_s: float) -> AsyncGenerator[AnswerEvent]:
        """Answer *request*; anew, once, if the child turns out to be dead before it spoke."""
        for tries_left in (1, 0):
            spoke = False
            async with self._starting:
                server = await self._started(request.model, deadline_s)
            try:
                async with aclosing(server.chat(request, deadline_s, _sampling(request))) as answer:
                    async for event in answer:
                        spoke = True
                        yield event
            except UpstreamError:
                if spoke or not tries_left or not await self._child_died():
                    raise
            else:
                return

    async def _child_died(self) -> bool:
        return self._child is not None and await self._child.ends_within(DEATH_NEWS_S)

    async def _started(self, model: str, deadline_s: float) -> OpenAIServer:
        """Return the server with *model* in memory."""
        if self._server and self._child and self._child.alive and self._child.model == model:
            return self._server
        weights = next((each for each in self.installed() if each.name == model), None)
        if weights is None:
            raise ModelNotFetchedError(model=model)
        await self._stop_child()
        path = self.store.path(weights)
        self._child = await LlamaChild.start(path, model, self._options, deadline_s)
        url = f"{self._child.url}/v1"
        self._server = OpenAIServer(TITLE, url, self._child.api_key)
        return self._server

    def _embedders(self) -> list[ModelInfo]:
        if not self._embedder.has_engine:
            return []
        info = ModelInfo(
            self.name,
            e5_embedder.MODEL,
            loaded=self._embedder.loaded,
            capabilities=frozenset({Capability.EMBED}),
            context_tokens=e5_embedder.CONTEXT_TOKENS,
            parameters=e5_embedder.PARAMETERS,
        )
        return [info]

    def _info(self, weights: Weights) -> ModelInfo:
        loaded = self._child is not None and self._child.alive
        return ModelInfo(
            self.name,
            weights.name,
            size_bytes=self.store.path(weights).stat().st_size,
            loaded=loaded and self._child is not None and self._child.model == weights.name,
            context_tokens=self._options.context_tokens,
            parameters=weights.parameters,
            capabilities=CAPABILITIES,
        )


def _sampling(request: ChatRequest) -> dict[str, object]:
    warmth = {"temperature": TEMPERATURE} if request.temperature is None else {}
    avoided = [[f" {word}", AVOIDANCE] for word in request.avoid]
    return {**SAMPLING, **warmth, "logit_bias": avoided}
