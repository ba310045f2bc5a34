"""A knowledge store in memory, an embedder that counts letters, an analyser of plain words."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise

from palabre.core.knowledge.model import (
    Document,
    EmbedderChoice,
    EmbedderKey,
    Hit,
    IndexedChunk,
    KeptChunk,
    Passage,
    SourceText,
    WordHits,
)
from palabre.core.knowledge.ports import Vector
from palabre.core.models.model import EmbeddingPurpose
from palabre.kernel.errors import UpstreamError

K1, B = 1.2, 0.75
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class WordAnalyser:
    """`Analyser` whose terms are the words of letters and digits, in lower case."""

    name = "words"

    def terms(self, text: str) -> list[str]:
        plain = "".join(each if each.isalnum() else " " for each in text.casefold())
        return plain.split()


@dataclass(slots=True)
class LetterEmbedder:
    """`WishedEmbedder` whose vectors count pairs of letters: like spelling, like meaning.

    Attributes:
        ref: Which embedder it is now; another one makes other vectors.
        wished: What the settings name.
        down: Reason why it does not answer; empty while it does.
        embedded: Every text so far.
        fails_after: Texts after which it goes down; None for never.
    """

    ref: str = "fake/letters"
    wished: str = "letters"
    dimensions: int = 64
    down: str = ""
    embedded: list[str] = field(default_factory=list)
    fails_after: int | None = None

    async def is_here(self, key: EmbedderKey) -> bool:
        return not self.down and key.ref == self.ref

    async def key(self) -> EmbedderKey:
        self._check()
        return EmbedderKey(self.ref, self.dimensions)

    async def embed(
        self,
        key: EmbedderKey,
        texts: Sequence[str],
        purpose: EmbeddingPurpose,  # noqa: ARG002
    ) -> list[list[float]]:
        if self.fails_after is not None and len(self.embedded) + len(texts) > self.fails_after:
            self.down = "enough"
        self._check()
        if key.ref != self.ref:
            raise UpstreamError(detail="another one")
        self.embedded += texts
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> list[float]:
        """Return the vector of *text*, of length 1."""
        counts = [0.0] * self.dimensions
        letters = [LETTERS.find(each) + 1 for each in text.casefold()]
        for one, other in pairwise(letters):
            counts[(one * 31 + other) % self.dimensions] += 1
        length = math.hypot(*counts) or 1.0
        return [each / length for each in counts]

    def _check(self) -> None:
        if self.down:
            raise UpstreamError(detail=self.down)


@dataclass(slots=True)
class _Chunk:
    id: int
    indexed: IndexedChunk
    vectors: dict[EmbedderKey, Vector] = field(default_factory=dict)


@dataclass(slots=True)
class _Kept:
    document_id: str
    text: SourceText
    sha256: str
    recipe: str
    added_at: datetime
    touched_at: datetime
    chunks: list[_Chunk] = field(default_factory=list)
    complete: set[EmbedderKey] = field(default_factory=set)


class MemoryKnowledgeStore:
    """`KnowledgeStore` that forgets everything when it ends."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}
        self._chunk_ids = 0
        self._choice: EmbedderChoice | None = None

    async def count_searched(self) -> int:
        return sum(bool(each.chunks) for each in self._kept.values())

    async def keep(
        self, document_id: str, text: SourceText, sha256: str, recipe: str, at: datetime
    ) -> str:
        same = next((e for e in self._of(text.source) if e.sha256 == sha256), None)
        kept = same or _Kept(document_id, text, sha256, recipe, at, at)
        for other in self._of(text.source):
            if not other.chunks and other is not kept:
                del self._kept[other.document_id]
        if kept.text.title != text.title:
            kept.text, kept.recipe = text, ""
        self._kept[kept.document_id] = kept
        return kept.document_id

    async def documents(self, embedder: EmbedderKey | None = None) -> list[Document]:
        return [_document(each, embedder) for each in self._kept.values()]

    async def document(
        self, document_id: str, embedder: EmbedderKey | None = None
    ) -> Document | None:
        kept = self._kept.get(document_id)
        return _document(kept, embedder) if kept else None

    async def text(self, document_id: str) -> SourceText | None:
        kept = self._kept.get(document_id)
        return kept.text if kept else None

    async def remove(self, document_id: str) -> bool:
        return self._kept.pop(document_id, None) is not None

    async def publish(self, document_id: str, chunks: Sequence[IndexedChunk], recipe: str) -> bool:
        kept = self._kept.get(document_id)
        if kept is None:
            return False
        for other in self._of(kept.text.source):
            if other is not kept:
                del self._kept[other.document_id]
        first = self._chunk_ids + 1
        self._chunk_ids += len(chunks)
        kept.chunks = [_Chunk(number, each) for number, each in enumerate(chunks, first)]
        kept.recipe, kept.complete = recipe, set()
        return True

    async def chunks(self, document_id: str) -> list[KeptChunk]:
        kept = self._kept.get(document_id)
        return [KeptChunk(e.id, e.indexed.chunk.text) for e in kept.chunks] if kept else []

    async def unembedded(
        self, document_id: str, embedder: EmbedderKey, limit: int
    ) -> list[KeptChunk]:
        kept = self._kept.get(document_id)
        left = [each for each in kept.chunks if embedder not in each.vectors] if kept else []
        return [KeptChunk(each.id, each.indexed.chunk.text) for each in left[:limit]]

    async def save_vectors(
        self, document_id: str, embedder: EmbedderKey, vectors: Sequence[tuple[int, Vector]]
    ) -> None:
        if self._choice is None or self._choice.key != embedder:
            return
        given = dict(vectors)
        kept = self._kept.get(document_id)
        for each in kept.chunks if kept else ():
            if each.id in given:
                each.vectors[embedder] = given[each.id]

    async def complete(self, document_id: str, embedder: EmbedderKey) -> bool:
        kept = self._kept.get(document_id)
        if not kept or not kept.chunks or any(embedder not in e.vectors for e in kept.chunks):
            return False
        kept.complete.add(embedder)
        return True

    async def touch(self, document_id: str, at: datetime) -> None:
        if document_id in self._kept:
            self._kept[document_id].touched_at = at

    async def unfinished(
        self, recipe: str, embedder: EmbedderKey | None, before: datetime
    ) -> list[str]:
        return [
            each.document_id
            for each in self._kept.values()
            if each.touched_at < before and _needs_work(each, recipe, embedder)
        ]

    async def choice(self) -> EmbedderChoice | None:
        return self._choice

    async def choose(
        self, choice: EmbedderChoice, instead_of: EmbedderChoice | None
    ) -> EmbedderChoice:
        if self._choice not in {None, instead_of}:
            assert self._choice is not None
            return self._choice
        if self._choice is not None and self._choice.key != choice.key:
            await self.forget_vectors()
        self._choice = choice
        return choice

    async def forget_vectors(self) -> None:
        for kept in self._kept.values():
            kept.complete.clear()
            for chunk in kept.chunks:
                chunk.vectors.clear()

    async def words(self, terms: Sequence[str], limit: int) -> WordHits:
        counts = {each.id: Counter(each.indexed.terms) for each in self._all_chunks()}
        mean = sum(map(Counter.total, counts.values())) / max(len(counts), 1)
        scores: dict[int, float] = {}
        total = 0.0
        for term in terms:
            holding = [number for number, count in counts.items() if count[term]]
            rarity = math.log((len(counts) - len(holding) + 0.5) / (len(holding) + 0.5))
            total += max(rarity, 1e-6)
            for number in holding:
                often, length = counts[number][term], counts[number].total()
                weight = often * (K1 + 1) / (often + K1 * (1 - B + B * length / mean))
                scores[number] = scores.get(number, 0.0) + max(rarity, 1e-6) * weight
        return WordHits(_best(scores, limit), total)

    async def nearest(self, embedder: EmbedderKey, vector: Vector, limit: int) -> list[Hit]:
        return _best(self._cosines(embedder, vector), limit)

    async def similarities(
        self, embedder: EmbedderKey, vector: Vector, chunk_ids: Sequence[int]
    ) -> dict[int, float]:
        cosines = self._cosines(embedder, vector)
        return {each: cosines[each] for each in chunk_ids if each in cosines}

    async def passages(self, chunk_ids: Sequence[int]) -> dict[int, Passage]:
        return {
            each.id: _passage(kept, each)
            for kept in self._kept.values()
            for each in kept.chunks
            if each.id in chunk_ids
        }

    def _of(self, source: str) -> list[_Kept]:
        return [each for each in self._kept.values() if each.text.source == source]

    def _all_chunks(self) -> list[_Chunk]:
        return [each for kept in self._kept.values() for each in kept.chunks]

    def _cosines(self, embedder: EmbedderKey, vector: Vector) -> dict[int, float]:
        return {
            each.id: _cosine(each.vectors[embedder], vector)
            for kept in self._kept.values()
            if embedder in kept.complete
            for each in kept.chunks
        }


def _needs_work(kept: _Kept, recipe: str, embedder: EmbedderKey | None) -> bool:
    is_embedded = embedder is None or embedder in kept.complete
    return not kept.chunks or kept.recipe != recipe or not is_embedded


def _document(kept: _Kept, embedder: EmbedderKey | None) -> Document:
    return Document(
        id=kept.document_id,
        source=kept.text.source,
        title=kept.text.title,
        sha256=kept.sha256,
        recipe=kept.recipe,
        added_at=kept.added_at,
        chars=len(kept.text.text),
        pages=len(kept.text.page_starts) or None,
        chunks=len(kept.chunks),
        embedded=embedder in kept.complete,
    )


def _passage(kept: _Kept, chunk: _Chunk) -> Passage:
    of, text = chunk.indexed.chunk, kept.text
    return Passage(kept.document_id, text.title, text.source, of.text, of.page, 0.0)


def _best(scores: dict[int, float], limit: int) -> list[Hit]:
    order = sorted(scores, key=lambda each: (-scores[each], each))
    return [Hit(each, scores[each]) for each in order[:limit]]


def _cosine(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
