"""Which model answers: names, stand-ins, and what every provider has."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field, replace

from palabre.core.models.errors import (
    NoChatModelError,
    NoModelError,
    NoProviderError,
    PullUnsupportedError,
)
from palabre.core.models.model import (
    AUTO,
    AUTO_ORDER,
    AnswerEvent,
    Capability,
    ChatRequest,
    ModelInfo,
    ProviderHealth,
    PullProgress,
    ResolvedModel,
)
from palabre.core.models.ports import ModelProvider, WeightPuller
from palabre.core.telemetry.ports import Telemetry
from palabre.kernel.clock import Clock
from palabre.kernel.errors import UpstreamError

LIST_AGE_S = 5.0
HEALTH_AGE_S = 10.0

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Known:
    """What we last heard from a provider, and when (monotonic seconds)."""

    models: list[ModelInfo] | None = None
    models_at_s: float = 0.0
    health: ProviderHealth | None = None
    health_at_s: float = 0.0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


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
        self._providers: Mapping[str, ModelProvider] = {each.name: each for each in providers}
        self._known = {name: _Known() for name in self._providers}
        self._default_model = default_model
        self._default_provider = default_provider
        self._clock = clock
        self._telemetry = telemetry
        self._told: set[tuple[str, str]] = set()
        self.arrival: Arrival | None = None

    @property
    def providers(self) -> Mapping[str, ModelProvider]:
        """Every provider by its name."""
        return self._providers

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
            return self._provider(self._default_provider)
        order = [name for name in AUTO_ORDER if name in self._providers]
        if not order:
            raise NoProviderError(provider=AUTO)
        for name in order:
            if (await self._health(name)).ok:
                return self._providers[name]
        reasons = [(await self._health(name)).detail for name in order]
        raise NoModelError(reasons, service=self._providers[order[0]].title)

    async def resolve(self, asked: str) -> ResolvedModel:
        """Find the model called *asked*, or the one that stands in for it.

        A model that is not installed, or whose provider does not answer, is replaced by the
        default model, that by the first model of the default provider that chats.

        Raises:
            UpstreamError: The default provider does not answer.
            NoModelError: It has no model that chats.
        """
        info = await self._find(asked)
        if info is not None:
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
        self._count("model_calls", name)
        call = self._providers[name].stream(replace(request, model=resolved.info.id))
        async with aclosing(call) as events:
            try:
                with self._blaming(name):
                    async for event in events:
                        yield event
            except UpstreamError:
                self._count("model_failures", name)
                self.forget(name)
                raise

    async def pull(self, provider: str, model: str) -> AsyncGenerator[PullProgress]:
        """Let *provider* fetch the weights of *model*; see `WeightPuller.pull`.

        Raises:
            PullUnsupportedError: It does not do that.
            NoProviderError: There is no such provider.
        """
        puller = self._provider(provider)
        if not isinstance(puller, WeightPuller):
            raise PullUnsupportedError(service=puller.title, model=model)
        with self._blaming(provider):
            async with aclosing(puller.pull(model)) as progress:
                async for each in progress:
                    yield each
        self.forget(provider)

    async def models(self) -> list[ModelInfo]:
        """Return the models of every provider that answers, in the providers' order."""
        lists = await asyncio.gather(*(self._models_or_none(name) for name in self._providers))
        return [info for models in lists for info in models]

    async def health(self) -> dict[str, ProviderHealth]:
        """Ask every provider, now, whether it answers."""
        healths = await asyncio.gather(*(each.health() for each in self._providers.values()))
        return dict(zip(self._providers, healths, strict=True))

    def forget(self, provider: str) -> None:
        """Ask *provider* anew at the next need: its models changed, or it failed."""
        self._known[provider] = _Known()

    async def aclose(self) -> None:
        """Close every provider."""
        await asyncio.gather(*(each.aclose() for each in self._providers.values()))

    def _provider(self, name: str) -> ModelProvider:
        if name not in self._providers:
            raise NoProviderError(provider=name)
        return self._providers[name]

    async def _find(self, name: str) -> ModelInfo | None:
        provider, slash, model_id = name.partition("/")
        if slash and provider in self._providers:
            return _named(model_id, await self._models_or_none(provider))
        default = (await self.default_provider()).name
        return _named(name, await self._models(default))

    async def _first_chat_model(self) -> ModelInfo:
        provider = await self.default_provider()
        for info in await self._models(provider.name):
            if Capability.CHAT in info.capabilities:
                return info
        raise NoChatModelError(service=provider.title)

    async def _models_or_none(self, provider: str) -> list[ModelInfo]:
        try:
            return await self._models(provider)
        except UpstreamError as error:
            _log.info("models of %s are out of reach: %s %s", provider, error.code, error.data)
            return []

    async def _models(self, provider: str) -> list[ModelInfo]:
        known = self._known[provider]
        async with known.lock:
            if known.models is None or self._age_s(known.models_at_s) > LIST_AGE_S:
                known.models = None
                with self._blaming(provider):
                    known.models = await self._providers[provider].models()
                known.models_at_s = self._clock.monotonic()
            return known.models

    async def _health(self, provider: str) -> ProviderHealth:
        known = self._known[provider]
        async with known.lock:
            if known.health is None or self._age_s(known.health_at_s) > HEALTH_AGE_S:
                known.health = await self._providers[provider].health()
                known.health_at_s = self._clock.monotonic()
            return known.health

    @contextmanager
    def _blaming(self, provider: str) -> Iterator[None]:
        """Name *provider* in the errors of the block."""
        try:
            yield
        except UpstreamError as error:
            error.data["service"] = self._providers[provider].title
            raise

    def _age_s(self, since_s: float) -> float:
        return self._clock.monotonic() - since_s

    def _count(self, what: str, provider: str) -> None:
        if self._telemetry is not None:
            self._telemetry.count(what, label=provider)

    def _tell_once(self, asked: str, info: ModelInfo) -> None:
        pair = (asked, info.ref)
        if pair not in self._told:
            self._told.add(pair)
            _log.warning("model %s is not installed: %s answers instead", asked, info.ref)


def _named(name: str, models: Sequence[ModelInfo]) -> ModelInfo | None:
    wanted = name.removesuffix(":latest")
    return next((info for info in models if info.id.removesuffix(":latest") == wanted), None)
