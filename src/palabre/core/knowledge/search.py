"""Search by words, by meaning, and by both."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from palabre.core.knowledge.fusion import fuse
from palabre.core.knowledge.model import EmbedderKey, Hit, Match, Passage, SearchMode
from palabre.core.knowledge.ports import Analyser, KnowledgeStore, Vector
from palabre.core.knowledge.questions import MAX_QUESTION_CHARS, Questions
from palabre.kernel.errors import UpstreamError

DEPTH = 50
"""Chunks that each way of searching contributes."""

NEAR_DEPTH = 10
"""Passages of the joint ranking that may be told: what stands further down is not near."""

MAX_TERMS = 32
"""Different terms of a question that are searched for."""

EMBED_TIMEOUT_S = 5.0
"""How long a question waits for its vector before words must do."""

MIN_SHARED_TERMS = 0.5
"""Share of a question's terms that a passage must hold where no similarity is known."""

RESCUE_SHARE = 0.5
"""Share of the least similarity from which on words may speak for a passage."""

RESCUE_SHARED = 2 / 3
"""Share of a question's terms that such a passage must hold, and `RESCUE_TERMS` of them."""

RESCUE_TERMS = 2

MIN_WEIGHT = 0.3
"""Share of a question's weight that words must score to count beside vectors.

One word in common, of a question that says it otherwise, would push the right passage down.
The best of 0 to 1 on half of the shipped exam; `docs/knowledge.md` tells of the other half.
"""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, made ready to be searched for; *vector* is None when no embedder answered."""

    terms: tuple[str, ...]
    embedder: EmbedderKey | None = None
    vector: Vector | None = None


class Searcher:
    """Finds passages in a store."""

    def __init__(self, store: KnowledgeStore, analyser: Analyser, questions: Questions) -> None:
        self._store = store
        self._analyser = analyser
        self._questions = questions

    async def ask(self, question: str, mode: SearchMode = "hybrid") -> Asked:
        """Return *question* in the forms that *mode* needs.

        In the mode `hybrid`, an embedder that does not answer is logged and done without.

        Raises:
            UpstreamError: No embedder answers, in the mode `vectors`.
        """
        question = question[:MAX_QUESTION_CHARS].strip()
        every = self._analyser.terms(question) if mode != "vectors" else []
        terms = tuple(dict.fromkeys(every))[:MAX_TERMS]
        if mode == "words" or not question:
            return Asked(terms)
        try:
            async with asyncio.timeout(None if mode == "vectors" else EMBED_TIMEOUT_S):
                key, vector = await self._questions.vector(question)
        except (UpstreamError, TimeoutError) as error:
            if mode == "vectors":
                raise
            _log.warning("no embedder, searching by words: %s", error)
            return Asked(terms)
        return Asked(terms, key, vector)

    async def search(self, asked: Asked, limit: int) -> list[Match]:
        """Return the best *limit* passages, best first.

        Raises:
            StorageError: The store cannot be read.
        """
        words, nearest = await asyncio.gather(self._words(asked), self._nearest(asked))
        by_words, by_vectors = _ids(words), _ids(nearest)
        order = fuse((by_words, by_vectors))[:limit]
        known = await self._similarities(asked, nearest, order)
        passages = await self._store.passages(order)
        ranks = _ranks(by_words), _ranks(by_vectors)
        return [_match(each, passages[each], known, ranks) for each in order if each in passages]

    async def near(self, asked: Asked, limit: int, min_similarity: float) -> list[Passage]:
        """Return the best *limit* passages that are near enough to *asked*.

        A passage without a known similarity is near when it holds enough of the terms; one that
        misses the similarity by a little, as one fact among others of its passage does, when it
        holds nearly all of them.

        Raises:
            StorageError: The store cannot be read.
        """
        found = await self.search(asked, max(NEAR_DEPTH, limit))
        near = [each.passage for each in found if self._is_near(asked, each, min_similarity)]
        return near[:limit]

    def _is_near(self, asked: Asked, match: Match, min_similarity: float) -> bool:
        similarity = match.passage.similarity
        if match.has_vector and similarity >= min_similarity:
            return True
        wanted = set(asked.terms)
        shared = wanted.intersection(
            self._analyser.terms(f"{match.passage.title}\n{match.passage.text}")
        )
        if match.has_vector:
            is_close = similarity >= RESCUE_SHARE * min_similarity
            return is_close and len(shared) >= max(RESCUE_TERMS, RESCUE_SHARED * len(wanted))
        return bool(shared) and len(shared) >= MIN_SHARED_TERMS * len(wanted)

    async def _words(self, asked: Asked) -> Sequence[Hit]:
        if not asked.terms:
            return ()
        found = await self._store.words(asked.terms, DEPTH)
        least = MIN_WEIGHT * found.weight if asked.vector is not None else 0.0
        return [hit for hit in found.hits if hit.score >= least]

    async def _nearest(self, asked: Asked) -> list[Hit]:
        if asked.embedder is None or asked.vector is None:
            return []
        return await self._store.nearest(asked.embedder, asked.vector, DEPTH)

    async def _similarities(
        self, asked: Asked, nearest: Sequence[Hit], wanted: Sequence[int]
    ) -> dict[int, float]:
        known = {hit.chunk_id: hit.score for hit in nearest}
        missing = [each for each in wanted if each not in known]
        if missing and asked.embedder is not None and asked.vector is not None:
            known |= await self._store.similarities(asked.embedder, asked.vector, missing)
        return known


def _ids(hits: Sequence[Hit]) -> list[int]:
    return [hit.chunk_id for hit in hits]


def _ranks(ids: Sequence[int]) -> dict[int, int]:
    return {each: rank for rank, each in enumerate(ids, start=1)}


def _match(
    chunk_id: int,
    passage: Passage,
    known: Mapping[int, float],
    ranks: tuple[Mapping[int, int], Mapping[int, int]],
) -> Match:
    return Match(
        chunk_id,
        replace(passage, similarity=known.get(chunk_id, 0.0)),
        chunk_id in known,
        ranks[0].get(chunk_id),
        ranks[1].get(chunk_id),
    )
