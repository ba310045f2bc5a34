import math
from collections.abc import Sequence

import pytest

from palabre.core.knowledge.embedding import RegistryEmbedder
from palabre.core.models.errors import OddAnswerError
from palabre.core.models.model import Capability, EmbeddingPurpose, ModelInfo
from palabre.core.models.registry import ModelRegistry
from palabre.kernel.errors import UpstreamError
from palabre.testing.clock import FrozenClock
from palabre.testing.models import ScriptedProvider


class VectorProvider(ScriptedProvider):
    """Answers with the vectors that it was given."""

    def __init__(self) -> None:
        info = ModelInfo("ollama", "embedder", capabilities=frozenset({Capability.EMBED}))
        super().__init__(name="ollama", models=(info,))
        self.vectors: list[list[float]] = [[3.0, 4.0]]
        self.purposes: list[EmbeddingPurpose] = []

    async def embed(
        self, model: str, texts: Sequence[str], purpose: EmbeddingPurpose = "passage"
    ) -> list[list[float]]:
        self._check(model)
        self.purposes.append(purpose)
        return self.vectors


def embedder(provider: ScriptedProvider) -> RegistryEmbedder:
    registry = ModelRegistry([provider], default_model="x", clock=FrozenClock())
    return RegistryEmbedder(registry, "embedder")


async def test_the_key_tells_the_model_and_how_long_its_vectors_are() -> None:
    provider = VectorProvider()
    asked = embedder(provider)
    key = await asked.key()
    assert (key.ref, key.dimensions) == ("ollama/embedder", 2)
    await asked.key()
    assert len(provider.purposes) == 1


async def test_vectors_get_the_length_one_and_the_purpose_is_handed_on() -> None:
    provider = VectorProvider()
    asked = embedder(provider)
    key = await asked.key()
    [vector] = await asked.embed(key, ["a"], "passage")
    assert vector == pytest.approx([0.6, 0.8])
    assert provider.purposes[-1] == "passage"


@pytest.mark.parametrize(
    "vectors",
    [[], [[1.0, 0.0], [1.0, 0.0]], [[1.0, 0.0, 0.0]], [[0.0, 0.0]], [[math.nan, 1.0]]],
)
async def test_odd_vectors_are_refused(vectors: list[list[float]]) -> None:
    provider = VectorProvider()
    asked = embedder(provider)
    key = await asked.key()
    provider.vectors = vectors
    with pytest.raises(OddAnswerError):
        await asked.embed(key, ["a"], "passage")


async def test_other_dimensions_are_noticed_by_the_next_key() -> None:
    provider = VectorProvider()
    asked = embedder(provider)
    key = await asked.key()
    provider.vectors = [[1.0, 0.0, 0.0]]
    with pytest.raises(OddAnswerError):
        await asked.embed(key, ["a"], "passage")
    assert (await asked.key()).dimensions == 3


async def test_a_registry_without_embedder_has_no_key() -> None:
    with pytest.raises(UpstreamError):
        await embedder(ScriptedProvider(name="ollama")).key()
