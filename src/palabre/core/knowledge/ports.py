"""Where personas look things up, and what that stands on."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

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
from palabre.core.models.model import EmbeddingPurpose

Vector = Sequence[float]


class PassageFinder(Protocol):
    """Finds what bears on a question."""

    async def find(self, question: str) -> Sequence[Passage]:
        """Return the best passages, best first; empty when nothing is near enough.

        Never fails: without documents, or while the embedder is down, it finds by words or
        nothing at all, and tells the operator.
        """
        ...

    async def count_documents(self) -> int:
        """Return in how many documents passages are found.

        Raises:
            StorageError: They cannot be counted.
        """
        ...


class NoDocuments:
    """`PassageFinder` of an installation without documents."""

    async def find(self, question: str) -> Sequence[Passage]:  # noqa: ARG002
        return ()

    async def count_documents(self) -> int:
        return 0


class Analyser(Protocol):
    """Takes texts apart into the terms by which they are found."""

    @property
    def name(self) -> str:
        """Changes whenever the terms of a text do."""
        ...

    def terms(self, text: str) -> list[str]:
        """Return the terms of *text*, in order, repeated as they are there.

        A term holds letters and digits alone.
        """
        ...


class TextEmbedder(Protocol):
    """Turns texts into vectors of one model at a time."""

    async def key(self) -> EmbedderKey:
        """Return whose vectors `embed` makes now.

        Raises:
            UpstreamError: No embedder answers.
        """
        ...

    async def embed(
        self, key: EmbedderKey, texts: Sequence[str], purpose: EmbeddingPurpose
    ) -> list[list[float]]:
        """Return one vector of length 1 for each text.

        Raises:
            UpstreamError: The embedder does not answer, or not with such vectors.
        """
        ...


class WishedEmbedder(TextEmbedder, Protocol):
    """`TextEmbedder` of the model that the settings wish for, or of one that stands in for it."""

    @property
    def wished(self) -> str:
        """Its name, as the settings have it."""
        ...

    async def is_here(self, key: EmbedderKey) -> bool:
        """Say whether the model of *key*, wished for or not, is installed and in reach."""
        ...


class KnowledgeStore(Protocol):
    """Keeps documents, their chunks and vectors, and searches them.

    Many processes may use one store at once. What a call changed has survived the end of the
    process once the call returns. Every method may raise `StorageError`.
    """

    async def count_searched(self) -> int:
        """Return how many documents are searched, which all but pending ones are; cheap."""
        ...

    async def keep(
        self, document_id: str, text: SourceText, sha256: str, recipe: str, at: datetime
    ) -> str:
        """Keep *text* as a pending document and return its id.

        Where the same text of the same source is kept already, its id is returned; a new title
        is set, and its chunks count as of no recipe. Other pending texts of the source are dropped.
        """
        ...

    async def documents(self, embedder: EmbedderKey | None = None) -> list[Document]:
        """Return all documents in the order they came; `embedded` tells about *embedder*."""
        ...

    async def document(
        self, document_id: str, embedder: EmbedderKey | None = None
    ) -> Document | None:
        """Return one document; None if it is not there."""
        ...

    async def text(self, document_id: str) -> SourceText | None:
        """Return the whole text of a document; None if it is not there."""
        ...

    async def remove(self, document_id: str) -> bool:
        """Remove a document with all that belongs to it; say whether it was there."""
        ...

    async def publish(self, document_id: str, chunks: Sequence[IndexedChunk], recipe: str) -> bool:
        """Let a document be found by its words, all at once.

        Its chunks of an earlier recipe, and other documents of its source, are gone at the same
        moment.

        Returns:
            False when the document is not there any more.
        """
        ...

    async def chunks(self, document_id: str) -> list[KeptChunk]:
        """Return the chunks of a document in the order of its text."""
        ...

    async def unembedded(
        self, document_id: str, embedder: EmbedderKey, limit: int
    ) -> list[KeptChunk]:
        """Return the first *limit* chunks of a document that have no vector of *embedder*."""
        ...

    async def save_vectors(
        self, document_id: str, embedder: EmbedderKey, vectors: Sequence[tuple[int, Vector]]
    ) -> None:
        """Keep vectors by chunk id.

        Those of chunks that are gone are dropped, and so are all of an embedder that is not, or
        no more, the chosen one.
        """
        ...

    async def complete(self, document_id: str, embedder: EmbedderKey) -> bool:
        """Let a document be found by its vectors, all at once.

        Returns:
            False when one of its chunks has no vector, or it is gone.
        """
        ...

    async def touch(self, document_id: str, at: datetime) -> None:
        """Note that a document is being worked on."""
        ...

    async def unfinished(
        self, recipe: str, embedder: EmbedderKey | None, before: datetime
    ) -> list[str]:
        """Return the ids of documents that need work and were not touched since *before*.

        Those that are pending or of another recipe, and those without all vectors of *embedder*.
        """
        ...

    async def choice(self) -> EmbedderChoice | None:
        """Return by whose vectors documents are found; None before the first."""
        ...

    async def choose(
        self, choice: EmbedderChoice, instead_of: EmbedderChoice | None
    ) -> EmbedderChoice:
        """Make *choice* the one, unless another than *instead_of* is by now; return which is.

        Vectors of other embedders are dropped.
        """
        ...

    async def forget_vectors(self) -> None:
        """Drop all vectors."""
        ...

    async def words(self, terms: Sequence[str], limit: int) -> WordHits:
        """Return the chunks that hold any of *terms*, best first by BM25."""
        ...

    async def nearest(self, embedder: EmbedderKey, vector: Vector, limit: int) -> list[Hit]:
        """Return the chunks whose vectors are nearest, best first; the score is the cosine."""
        ...

    async def similarities(
        self, embedder: EmbedderKey, vector: Vector, chunk_ids: Sequence[int]
    ) -> dict[int, float]:
        """Return the cosine of those of *chunk_ids* that have a vector."""
        ...

    async def passages(self, chunk_ids: Sequence[int]) -> dict[int, Passage]:
        """Return those of *chunk_ids* that are still there; their similarity is 0."""
        ...
