"""The providers, and what they last said of themselves."""

import asyncio
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from palabre.core.models.errors import NoProviderError
from palabre.core.models.model import ModelInfo, ProviderHealth
from palabre.core.models.ports import ModelProvider
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
    out_of_reach: bool = False
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Roster:
    """Providers by name; their lists and healths are asked for when they are old.

    Args:
        providers: Where models run, in the order in which they are listed.
        clock: Ages what they said.
    """

    def __init__(self, providers: Sequence[ModelProvider], clock: Clock) -> None:
        self.providers: Mapping[str, ModelProvider] = {each.name: each for each in providers}
        self._known = {name: _Known() for name in self.providers}
        self._clock = clock

    def provider(self, name: str) -> ModelProvider:
        """Return the provider called *name*.

        Raises:
            NoProviderError: There is none.
        """
        if name not in self.providers:
            raise NoProviderError(provider=name)
        return self.providers[name]

    async def models(self, provider: str) -> list[ModelInfo]:
        """Return the models of *provider*, at most `LIST_AGE_S` old.

        Raises:
            UpstreamError: It does not answer.
        """
        known = self._known[provider]
        async with known.lock:
            if known.models is None or self._age_s(known.models_at_s) > LIST_AGE_S:
                known.models = None
                with self.blaming(provider):
                    known.models = await self.providers[provider].models()
                known.models_at_s = self._clock.monotonic()
            return known.models

    async def models_or_none(self, provider: str) -> list[ModelInfo]:
        """Return the models of *provider*; none if it does not answer, or does not exist."""
        if provider not in self.providers:
            return []
        known = self._known[provider]
        try:
            models = await self.models(provider)
        except UpstreamError as error:
            level = logging.DEBUG if known.out_of_reach else logging.INFO
            _log.log(
                level, "models of %s are out of reach: %s %s", provider, error.code, error.data
            )
            known.out_of_reach = True
            return []
        known.out_of_reach = False
        return models

    async def health(self, provider: str) -> ProviderHealth:
        """Return the health of *provider*, at most `HEALTH_AGE_S` old."""
        known = self._known[provider]
        async with known.lock:
            if known.health is None or self._age_s(known.health_at_s) > HEALTH_AGE_S:
                known.health = await self.providers[provider].health()
                known.health_at_s = self._clock.monotonic()
            return known.health

    def forget(self, provider: str) -> None:
        """Ask *provider* anew at the next need."""
        self._known[provider] = _Known()

    @contextmanager
    def blaming(self, provider: str) -> Iterator[None]:
        """Name *provider* in the errors of the block."""
        try:
            yield
        except UpstreamError as error:
            error.data["service"] = self.providers[provider].title
            raise

    def _age_s(self, since_s: float) -> float:
        return self._clock.monotonic() - since_s


def named(name: str, models: Sequence[ModelInfo]) -> ModelInfo | None:
    """Return the one of *models* called *name*; `:latest` may be left out or written."""
    wanted = name.removesuffix(":latest")
    return next((info for info in models if info.id.removesuffix(":latest") == wanted), None)
