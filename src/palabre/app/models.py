"""Which models there are, as the settings want it."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager

from palabre.adapters.models.embedded import EmbeddedProvider
from palabre.adapters.models.llama_child import LlamaOptions
from palabre.adapters.models.ollama import OllamaProvider
from palabre.adapters.models.openai_compatible import OpenAICompatibleProvider
from palabre.adapters.models.weights import WeightStore
from palabre.adapters.models.weights_catalogue import load_catalogue, own_weights
from palabre.adapters.telemetry.resources import available_memory_bytes, usable_cores
from palabre.app.clock import SystemClock
from palabre.app.settings import Settings
from palabre.core.models.model import (
    EMBEDDED,
    ChatMessage,
    ChatRequest,
    PullProgress,
    ResolvedModel,
)
from palabre.core.models.ports import ModelProvider
from palabre.core.models.registry import Arrival, ModelRegistry
from palabre.core.models.slots import CallSlots
from palabre.core.telemetry.ports import Telemetry
from palabre.kernel.clock import Clock
from palabre.kernel.errors import UpstreamError

CATALOGUE = "models.toml"
SMALL_NEEDS_BYTES = 4 * 1000**3


def build_registry(
    settings: Settings, clock: Clock, telemetry: Telemetry | None = None
) -> ModelRegistry:
    """Return the registry of all providers that *settings* name; nothing is contacted yet."""
    models = settings.models
    providers: list[ModelProvider] = [ollama_provider(settings), *_openai_providers(settings)]
    if models.embedded.enabled:
        providers.append(embedded_provider(settings))
    return ModelRegistry(
        providers,
        default_model=models.default_model,
        default_provider=models.provider,
        clock=clock,
        telemetry=telemetry,
    )


@asynccontextmanager
async def opened_registry(settings: Settings) -> AsyncIterator[ModelRegistry]:
    """Give the registry of *settings* and close it afterwards."""
    registry = build_registry(settings, SystemClock())
    try:
        yield registry
    finally:
        await registry.aclose()


def ollama_provider(settings: Settings) -> OllamaProvider:
    """Return the Ollama of *settings*."""
    ollama = settings.models.ollama
    return OllamaProvider(
        CallSlots(ollama.max_concurrent, ollama.max_waiting),
        ollama.url,
        timeout_s=ollama.timeout_s,
        keep_alive=ollama.keep_alive,
    )


def embedded_provider(settings: Settings) -> EmbeddedProvider:
    """Return the embedded models of *settings*, the tier that suits this machine first."""
    embedded = settings.models.embedded
    options = LlamaOptions(
        threads=embedded.threads or max(usable_cores() - 1, 1),
        context_tokens=embedded.context_tokens,
    )
    store = weight_store(settings)
    own = tuple(weights.name for weights in store.own())
    return EmbeddedProvider(
        store,
        (*own, *_tiers(embedded.tier)),
        CallSlots(1, embedded.max_waiting),
        options,
        timeout_s=embedded.timeout_s,
    )


def weight_store(settings: Settings) -> WeightStore:
    """Return the weights of *settings*: those that come along, or the user's own."""
    embedded = settings.models.embedded
    return WeightStore(
        load_catalogue(settings.content_dir / CATALOGUE),
        settings.cache_dir / "models",
        embedded.hub,
        own_weights(embedded.model) if embedded.model else None,
    )


async def first_weights(registry: ModelRegistry) -> AsyncGenerator[PullProgress]:
    """Fetch the embedded model if no other would answer; yield nothing where one does.

    Raises:
        WeightsError: It cannot be fetched.
    """
    embedded = registry.providers.get(EMBEDDED)
    if not isinstance(embedded, EmbeddedProvider) or not registry.may_use(embedded.name):
        return
    if not embedded.has_engine or embedded.installed() or await _another_answers(registry):
        return
    arrival = registry.arrival = Arrival()
    try:
        async with aclosing(registry.pull(EMBEDDED, "auto")) as progress:
            async for each in progress:
                if each.total_bytes:
                    arrival.percent = 100 * (each.done_bytes or 0) // each.total_bytes
                yield each
    finally:
        registry.arrival = None
        arrival.ended.set()


async def warm_up(registry: ModelRegistry) -> None:
    """Load the embedded model if it is the one that answers: nobody then waits for it.

    Raises:
        UpstreamError: It does not start.
    """
    if await _another_answers(registry):
        return
    info = await registry.default_model()
    request = ChatRequest(info.id, (ChatMessage("user", "..."),), max_tokens=1)
    async with aclosing(registry.stream(ResolvedModel(info.ref, info), request)) as answer:
        async for _ in answer:
            pass


def _openai_providers(settings: Settings) -> list[ModelProvider]:
    return [
        OpenAICompatibleProvider(
            name,
            server.base_url,
            server.api_key.get_secret_value() if server.api_key else "",
            slots=CallSlots(server.max_concurrent, server.max_waiting),
            timeout_s=server.timeout_s,
        )
        for name, server in settings.models.openai.items()
    ]


def _tiers(tier: str) -> tuple[str, ...]:
    if tier == "auto":
        memory_bytes = available_memory_bytes()
        tier = "tiny" if memory_bytes is None or memory_bytes < SMALL_NEEDS_BYTES else "small"
    return ("small", "tiny") if tier == "small" else ("tiny", "small")


async def _another_answers(registry: ModelRegistry) -> bool:
    try:
        return (await registry.default_provider()).name != EMBEDDED
    except UpstreamError:
        return False
