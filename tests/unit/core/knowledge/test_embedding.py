import math
from collections.abc import Sequence

import pytest

from palabre.core.knowledge.embedding import IndexEmbedder, RegistryEmbedder
from palabre.core.knowledge.model import EmbedderChoice, EmbedderKey
from palabre.core.models.errors import OddAnswerError
from palabre.core.models.model import Capability, EmbeddingPurpose, ModelInfo
from palabre.core.models.registry import ModelRegistry
from palabre.kernel.errors import UpstreamError
from palabre.testing.clock import FrozenClock
from palabre.testing.knowledge import LetterEmbedder, MemoryKnowledgeStore
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


async def test_a_model_is_here_while_its_provider_lists_it() -> None:
    provider = VectorProvider()
    asked = embedder(provider)
    assert await asked.is_here(await asked.key())
    assert not await asked.is_here(EmbedderKey("ollama/another", 2))


async def test_the_first_choice_stays_whatever_answers_later() -> None:
    wished = LetterEmbedder()
    chosen = IndexEmbedder(MemoryKnowledgeStore(), wished)
    assert await chosen.chosen() is None
    first = await chosen.key()
    wished.ref = "fake/other"
    assert await chosen.key() == await chosen.chosen() == first
    assert not await chosen.is_here()
    assert (await chosen.choose()).ref == "fake/other"


async def test_of_two_processes_that_choose_at_once_the_first_one_decides() -> None:
    store = MemoryKnowledgeStore()

    class Overtaken(LetterEmbedder):
        async def key(self) -> EmbedderKey:
            first = EmbedderChoice(EmbedderKey("fake/first", 8), "first")
            await store.choose(first, None)
            return await super().key()

    assert (await IndexEmbedder(store, Overtaken()).key()).ref == "fake/first"


async def test_a_setting_that_changed_is_followed_once_it_is_there() -> None:
    store = MemoryKnowledgeStore()
    first = await IndexEmbedder(store, LetterEmbedder()).key()
    stand_in = LetterEmbedder(ref="fake/letters", wished="other")
    changed = IndexEmbedder(store, stand_in)
    await changed.follow_setting()
    assert await changed.key() == first
    stand_in.down = "no"
    await changed.follow_setting()
    stand_in.down, stand_in.ref = "", "fake/other:latest"
    await changed.follow_setting()
    assert (await changed.key()).ref == "fake/other:latest"


async def test_processes_with_different_settings_do_not_choose_in_turns() -> None:
    store = MemoryKnowledgeStore()
    one = IndexEmbedder(store, LetterEmbedder())
    other = IndexEmbedder(store, LetterEmbedder(ref="fake/other", wished="other"))
    await one.key()
    await one.follow_setting()
    for each in (other, one, other):
        await each.follow_setting()
        assert (await each.key()).ref == "fake/other"
