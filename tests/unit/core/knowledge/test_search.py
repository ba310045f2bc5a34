"""How rankings come together; a store of two rankings that the test gives."""

import asyncio
from collections.abc import Sequence

import pytest

from palabre.core.knowledge.model import EmbedderKey, Hit, Passage, WordHits
from palabre.core.knowledge.ports import Vector
from palabre.core.knowledge.questions import Questions
from palabre.core.knowledge.search import Searcher
from palabre.testing.knowledge import LetterEmbedder, MemoryKnowledgeStore, WordAnalyser


class RankedStore(MemoryKnowledgeStore):
    """Finds what it was given, whatever is asked."""

    def __init__(self, words: WordHits, nearest: Sequence[Hit]) -> None:
        super().__init__()
        self._words, self._nearest = words, nearest
        self.asked: list[str] = []

    async def words(self, terms: Sequence[str], limit: int) -> WordHits:
        self.asked = list(terms)
        return self._words

    async def nearest(self, embedder: EmbedderKey, vector: Vector, limit: int) -> list[Hit]:
        return list(self._nearest)

    async def similarities(
        self, embedder: EmbedderKey, vector: Vector, chunk_ids: Sequence[int]
    ) -> dict[int, float]:
        return {each: 0.1 for each in chunk_ids if each < 90}

    async def passages(self, chunk_ids: Sequence[int]) -> dict[int, Passage]:
        return {n: Passage("d", "t", "s", f"chat {n}", None, 0.0) for n in chunk_ids if n < 99}


def searcher(store: RankedStore, embedder: LetterEmbedder | None = None) -> Searcher:
    return Searcher(store, WordAnalyser(), Questions(embedder or LetterEmbedder()))


WORDS = WordHits((Hit(1, 3.0), Hit(2, 2.0), Hit(3, 0.1)), 4.0)
NEAREST = (Hit(2, 0.9), Hit(4, 0.5))


async def test_both_rankings_are_fused_and_weak_words_do_not_count() -> None:
    search = searcher(RankedStore(WORDS, NEAREST))
    found = await search.search(await search.ask("chat"), 9)
    assert [each.chunk_id for each in found] == [2, 1, 4]
    assert [(each.words_rank, each.vectors_rank) for each in found] == [
        (2, 1),
        (1, None),
        (None, 2),
    ]


async def test_the_threshold_holds_for_what_only_words_found() -> None:
    search = searcher(RankedStore(WORDS, NEAREST))
    near = await search.near(await search.ask("chat"), 5, 0.3)
    assert [each.text for each in near] == ["chat 2", "chat 4"]
    assert [each.similarity for each in near] == [0.9, 0.5]


@pytest.mark.parametrize(
    ("question", "similarity", "is_told"),
    [
        ("le chat numéro 7", 0.16, False),  # one of three terms
        ("chat 7", 0.16, True),
        ("chat 7 gris", 0.16, True),
        ("chat 7", 0.14, False),  # too far, whatever it says
        ("chat", 0.29, False),  # one word is shared by many
        ("chat", 0.3, True),
    ],
)
async def test_a_passage_that_misses_the_threshold_by_a_little_is_told_for_its_words(
    question: str, similarity: float, is_told: bool
) -> None:
    search = searcher(RankedStore(WordHits((), 1.0), (Hit(7, similarity),)))
    assert bool(await search.near(await search.ask(question), 2, 0.3)) == is_told


async def test_without_an_embedder_all_that_words_found_counts() -> None:
    search = searcher(RankedStore(WORDS, NEAREST), LetterEmbedder(down="no"))
    found = await search.search(await search.ask("chat noir"), 9)
    assert [each.chunk_id for each in found] == [1, 2, 3]
    assert not any(each.has_vector for each in found)
    assert len(await search.near(await search.ask("chat noir"), 9, 0.3)) == 3
    assert await search.near(await search.ask("chat noir sur la presse"), 9, 0.3) == []


async def test_a_passage_without_a_vector_yet_is_judged_by_its_words() -> None:
    search = searcher(RankedStore(WordHits((Hit(95, 4.0),), 4.0), ()))
    assert [each.text for each in await search.near(await search.ask("chat"), 2, 0.3)] == [
        "chat 95"
    ]


async def test_a_passage_that_is_gone_meanwhile_is_left_out() -> None:
    search = searcher(RankedStore(WordHits((), 0.0), (Hit(99, 0.9), Hit(4, 0.5))))
    assert [each.chunk_id for each in await search.search(await search.ask("chat"), 9)] == [4]


async def test_terms_are_asked_once_each_and_not_without_end() -> None:
    store = RankedStore(WORDS, NEAREST)
    search = searcher(store)
    await search.search(await search.ask("chat chat " + " ".join(map(str, range(99)))), 9)
    assert store.asked[:3] == ["chat", "0", "1"]
    assert len(store.asked) == 32


async def test_a_question_without_words_asks_for_none() -> None:
    store = RankedStore(WORDS, NEAREST)
    search = searcher(store)
    assert [e.chunk_id for e in await search.search(await search.ask("?!"), 9)] == [2, 4]
    assert store.asked == []
    assert await search.search(await search.ask("  "), 9) == []


async def test_one_mode_alone_can_be_asked() -> None:
    search = searcher(RankedStore(WORDS, NEAREST))
    words = await search.search(await search.ask("chat", "words"), 9)
    vectors = await search.search(await search.ask("chat", "vectors"), 9)
    assert [each.chunk_id for each in words] == [1, 2, 3]
    assert [each.chunk_id for each in vectors] == [2, 4]


async def test_cancelling_a_question_is_no_failure_of_the_embedder() -> None:
    class Slow(LetterEmbedder):
        async def key(self) -> EmbedderKey:
            await asyncio.sleep(30)
            return await super().key()

    search = searcher(RankedStore(WORDS, NEAREST), Slow())
    task = asyncio.ensure_future(search.ask("chat"))
    await asyncio.sleep(0)
    task.cancel()
    assert isinstance(
        (await asyncio.gather(task, return_exceptions=True))[0], asyncio.CancelledError
    )
