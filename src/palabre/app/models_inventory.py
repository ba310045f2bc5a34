"""Everything that could answer: providers, their models, and weights that can be fetched."""

import asyncio
from dataclasses import dataclass

from palabre.adapters.models.weights_catalogue import Kind, Weights
from palabre.app.models import opened_registry, weight_store
from palabre.app.settings import Settings
from palabre.core.models.model import ModelInfo, ProviderHealth
from palabre.texts import say


@dataclass(frozen=True, slots=True)
class KnownWeights:
    """Weights that can be had, the tiers that they may stand for, and whether they are here."""

    weights: Weights
    tiers: tuple[str, ...]
    installed: bool


@dataclass(frozen=True, slots=True)
class Inventory:
    """Providers, their models, and the weights that we know."""

    healths: dict[str, ProviderHealth]
    models: list[ModelInfo]
    weights: list[KnownWeights]

    def of_kind(self, kind: Kind) -> list[KnownWeights]:
        """Return the weights that are for *kind*."""
        return [each for each in self.weights if each.weights.kind == kind]

    def as_data(self) -> dict[str, object]:
        """Return it for programs."""
        return {
            "providers": {
                name: {"ok": health.ok, "detail": say(health.detail, "en")}
                for name, health in self.healths.items()
            },
            "models": [_model_data(info) for info in self.models],
            "weights": [_weights_data(each) for each in self.weights],
        }


async def take_inventory(settings: Settings) -> Inventory:
    """Ask every provider of *settings*."""
    store = weight_store(settings)
    weights = [KnownWeights(each, store.tiers(each), store.has(each)) for each in store.known()]
    async with opened_registry(settings) as registry:
        healths, models = await asyncio.gather(registry.health(), registry.models())
    return Inventory(healths, models, weights)


def _model_data(info: ModelInfo) -> dict[str, object]:
    return {
        "ref": info.ref,
        "size_bytes": info.size_bytes,
        "loaded": info.loaded,
        "capabilities": sorted(info.capabilities),
        "context_tokens": info.context_tokens,
        "parameters": info.parameters,
    }


def _weights_data(known: KnownWeights) -> dict[str, object]:
    weights = known.weights
    return {
        "name": weights.name,
        "kind": weights.kind,
        "tiers": list(known.tiers),
        "file": weights.file,
        "files": [each.file for each in weights.files],
        "size_bytes": weights.total_bytes or None,
        "sha256": weights.sha256 or None,
        "licence": weights.licence or None,
        "installed": known.installed,
    }
