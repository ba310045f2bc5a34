"""Which model answers: names, stand-ins, and what every provider has."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field, replace

from palabre.core.models.errors import (
    EmbeddingUnsupportedError,
    NoChatModelError,
    NoEmbedderError,
    NoModelError,
    NoProviderError,
    NoVisionModelError,
    PullUnsupportedError,
    SilentServerError,
)
from palabre.core.models.model import (
    AUTO,
    AUTO_ORDER,
    EMBEDDED,
    AnswerEvent,
    AnswerGrew,
    Capability,
    ChatRequest,
    EmbeddingPurpose,
    ModelInfo,
    ModelRef,
    ProviderHealth,
    PullProgress,
    ResolvedModel,
)
from palabre.core.models.ports import Embedder, ModelProvider, WeightPuller
from palabre.core.models.roster import HEALTH_AGE_S, LIST_AGE_S, Roster, named
from palabre.core.models.thinking import without_thoughts
from palabre.core.telemetry.ports import Telemetry
from palabre.kernel.clock import Clock
from palabre.kernel.errors import UpstreamError

__all__ = ["HEALTH_AGE_S", "LIST_AGE_S", "Arrival", "ModelRegistry"]

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Arrival:
    """The first model is on its way, and none answers before it is here.

    Attributes:
        percent: How much of it is here.
        ended: Set when it is here, or will not come.
    """

    percent: int = 0
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class ModelRegistry:
    """All providers as one place where models are found by name.

    A name is `<provider>/<model id>`, or a bare id, which the default provider has.

    Args:
        providers: Where models run; their order decides what `models` lists first.
        default_model: Answers for models that are not installed.
        default_provider: Name of a provider, or `auto`: the first of `AUTO_ORDER` that
            answers, looked at again every `HEALTH_AGE_S` so that an Ollama started later
            is noticed.
        clock: Ages the lists.
        telemetry: Counts calls and failures of each provider, if given.

    Attributes:
        arrival: The first model on its way; None when there is no need to wait for one.
    """

    def __init__(
        self,
        providers: Sequence[ModelProvider],
        *,
        default_model: str,
        default_provider: str = AUTO,
        clock: Clock,
        telemetry: Telemetry | None = None,
    ) -> None:
        self._roster = Roster(providers, clock)
        self._default_model = default_model
        self._default_provider = default_provider
        self._telemetry = telemetry
        self._told: set[tuple[str, str]] = set()
        self.arrival: Arrival | None = None

    @property
    def providers(self) -> Mapping[str, ModelProvider]:
        """Every provider by its name."""
        return self._roster.providers

    def may_use(self, provider: str) -> bool:
        """Say whether bare names can ever mean *provider*."""
        return self._default_provider in {AUTO, provider}

    async def default_provider(self) -> ModelProvider:
        """Return the provider of bare names.

        Raises:
            NoProviderError: It is not configured.
            NoModelError: `auto` finds none that answers.
        """
        if self._default_provider != AUTO:
            return self._roster.provider(self._default_provider)
        order = [name for name in AUTO_ORDER if name in self.providers]
        if not order:
            raise NoProviderError(provider=AUTO)
        for name in order:
            if (await self._roster.health(name)).ok:
                return self.providers[name]
        reasons = [(await self._roster.health(name)).detail for name in order]
        raise NoModelError(reasons, service=self.providers[order[0]].title)

    async def resolve(self, asked: str) -> ResolvedModel:
        """Find the model called *asked*, or the one that stands in for it.

        A model that is not installed, or whose provider does not answer, is replaced by the
        default model, that by the first model of the default provider that chats. So is one that
        cannot chat.

        Raises:
            UpstreamError: The default provider does not answer.
            NoModelError: It has no model that chats.
        """
        info = await self._find(asked)
        if info is not None and Capability.CHAT in info.capabilities:
            return ResolvedModel(asked, info)
        info = await self.default_model()
        self._tell_once(asked, info)
        return ResolvedModel(asked, info, substituted=True)

    async def default_model(self) -> ModelInfo:
        """Return the model that stands in for others.

        Raises:
            UpstreamError: As `resolve`.
        """
        return await self._find(self._default_model) or await self._first_chat_model()

    async def resolve_embedder(self, asked: str) -> ModelInfo:
        """Find the model called *asked*, of any provider, or another that makes vectors.

        That is the first of the default provider, or the embedded one.

        Raises:
            NoEmbedderError: There is none.
        """
        if (found := await self._installed(asked)) is not None:
            return found
        places = [await self._default_name(), EMBEDDED]
        if (found := await self._first(Capability.EMBED, places)) is None:
            raise NoEmbedderError(asked=asked)
        self._tell_once(asked, found)
        return found

    async def resolve_vision(self, asked: str) -> ResolvedModel:
        """Find the model called *asked*, of any provider, or the first that sees.

        Raises:
            NoVisionModelError: There is none.
        """
        if (found := await self._installed(asked)) is not None:
            return ResolvedModel(asked, found)
        places = [await self._default_name(), *self.providers]
        if (found := await self._first(Capability.VISION, places)) is None:
            raise NoVisionModelError(asked=asked)
        self._tell_once(asked, found)
        return ResolvedModel(asked, found, substituted=True)

    async def stream(
        self, resolved: ResolvedModel, request: ChatRequest
    ) -> AsyncGenerator[AnswerEvent]:
        """Answer *request* with *resolved*, whatever `request.model` says.

        Close the generator to end the call early. After an error the provider's list of models
        is asked for anew.

        Raises:
            UpstreamError: As `ChatModel.stream`.
        """
        name = resolved.info.provider
        call = self.providers[name].stream(replace(request, model=resolved.info.id))
        async with aclosing(call) as events:
            with self._counted(name):
                async for event in events:
                    yield event

    async def answer(
        self, resolved: ResolvedModel, request: ChatRequest, *, max_chars: int, timeout_s: float
    ) -> str:
        """Return the answer to *request* without thoughts.

        Not more than *max_chars* are read, thoughts included: models need not heed what they are
        asked for.

        Raises:
            SilentServerError: That takes longer than *timeout_s*.
            UpstreamError: As `stream`.
        """
        written = ""
        try:
            async with (
                asyncio.timeout(timeout_s),
                aclosing(self.stream(resolved, request)) as events,
            ):
                async for event in events:
                    if isinstance(event, AnswerGrew):
                        written += event.text
                    if len(written) > max_chars:
                        break
        except TimeoutError as error:
            raise SilentServerError(service=resolved.info.id) from error
        return without_thoughts(written[:max_chars])

    async def embed(
        self, ref: ModelRef, texts: Sequence[str], purpose: EmbeddingPurpose = "passage"
    ) -> list[list[float]]:
        """Return one vector a text, made by the model *ref*; see `Embedder.embed`.

        Raises:
            EmbeddingUnsupportedError: Its provider makes no vectors.
            NoProviderError: There is no such provider.
            UpstreamError: As `Embedder.embed`.
        """
        name, _, model = ref.partition("/")
        embedder = self._roster.provider(name)
        if not isinstance(embedder, Embedder):
            raise EmbeddingUnsupportedError(service=embedder.title, model=model)
        with self._counted(name):
            return await embedder.embed(model, texts, purpose)

    async def pull(self, provider: str, model: str) -> AsyncGenerator[PullProgress]:
        """Let *provider* fetch the weights of *model*; see `WeightPuller.pull`.

        Raises:
            PullUnsupportedError: It does not do that.
            NoProviderError: There is no such provider.
        """
        puller = self._roster.provider(provider)
        if not isinstance(puller, WeightPuller):
            raise PullUnsupportedError(service=puller.title, model=model)
        with self._roster.blaming(provider):
            async with aclosing(puller.pull(model)) as progress:
                async for each in progress:
                    yield each
        self.forget(provider)

    async def models(self) -> list[ModelInfo]:
        """Return the models of every provider that answers, in the providers' order."""
        lists = await asyncio.gather(*map(self._roster.models_or_none, self.providers))
        return [info for models in lists for info in models]

    async def health(self) -> dict[str, ProviderHealth]:
        """Ask every provider, now, whether it answers."""
        healths = await asyncio.gather(*(each.health() for each in self.providers.values()))
        return dict(zip(self.providers, healths, strict=True))

    def forget(self, provider: str) -> None:
        """Ask *provider* anew at the next need: its models changed, or it failed."""
        self._roster.forget(provider)

    async def aclose(self) -> None:
        """Close every provider."""
        await asyncio.gather(*(each.aclose() for each in self.providers.values()))

    async def _find(self, name: str) -> ModelInfo | None:
        """Return the model that *name* means by itself: a bare name is the default provider's."""
        if (provider := self._provider_in(name)) is not None:
            model_id = name.removeprefix(f"{provider}/")
            return named(model_id, await self._roster.models_or_none(provider))
        default = (await self.default_provider()).name
        return named(name, await self._roster.models(default))

    async def _installed(self, name: str) -> ModelInfo | None:
        """Return the model that *name* means; a bare name may be any provider's."""
        if self._provider_in(name) is not None:
            return await self._find(name)
        for provider in dict.fromkeys([await self._default_name(), *self.providers]):
            if (found := named(name, await self._roster.models_or_none(provider))) is not None:
                return found
        return None

    async def _first(self, skill: Capability, places: Sequence[str]) -> ModelInfo | None:
        for provider in dict.fromkeys(places):
            for info in await self._roster.models_or_none(provider):
                if skill in info.capabilities:
                    return info
        return None

    async def _first_chat_model(self) -> ModelInfo:
        provider = await self.default_provider()
        for info in await self._roster.models(provider.name):
            if Capability.CHAT in info.capabilities:
                return info
        raise NoChatModelError(service=provider.title)

    async def _default_name(self) -> str:
        """Return the name of the default provider, of the first that there is if none answers."""
        try:
            return (await self.default_provider()).name
        except UpstreamError:
            return next(iter(self.providers), "")

    def _provider_in(self, name: str) -> str | None:
        provider, slash, _ = name.partition("/")
        return provider if slash and provider in self.providers else None

    @contextmanager
    def _counted(self, provider: str) -> Iterator[None]:
        """Count a call; after an error, ask for the provider's models anew."""
        self._count("model_calls", provider)
        try:
            with self._roster.blaming(provider):
                yield
        except UpstreamError:
            self._count("model_failures", provider)
            self.forget(provider)
            raise

    def _count(self, what: str, provider: str) -> None:
        if self._telemetry is not None:
            self._telemetry.count(what, label=provider)

    def _tell_once(self, asked: str, info: ModelInfo) -> None:
        pair = (asked, info.ref)
        if pair not in self._told:
            self._told.add(pair)
            _log.warning("model %s is not installed: %s answers instead", asked, info.ref)
