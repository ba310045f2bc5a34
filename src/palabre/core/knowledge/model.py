"""Documents, the chunks they are cut into, and what is found in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

MAX_DOCUMENT_CHARS = 20_000_000
"""Longest text that is taken as one document: some ten thousand pages."""

SearchMode = Literal["hybrid", "words", "vectors"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document: a substring of its text, at most 500 characters.

    Attributes:
        title: Of the document.
        source: Where the document came from, as its owner knows it.
        text: The words themselves.
        page: Where they stand, from 1; None without pages.
        similarity: Cosine between question and passage; 0 when only words were compared.
    """

    document_id: str
    title: str
    source: str
    text: str
    page: int | None
    similarity: float


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text that is to be indexed.

    Attributes:
        source: Where it comes from; a text of the same source replaces it.
        page_starts: Offset in *text* of each page; empty where there are no pages.
    """

    source: str
    title: str
    text: str
    page_starts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A text that is kept.

    Attributes:
        sha256: Of the text in UTF-8, in hex.
        recipe: How its chunks were made; another recipe makes them anew.
        chunks: How many it has; 0 while it is pending: kept, but not searched yet.
        embedded: Whether all of them have vectors of the embedder that was asked about.
        pages: None where there are no pages.
    """

    id: str
    source: str
    title: str
    sha256: str
    recipe: str
    added_at: datetime
    chars: int
    pages: int | None
    chunks: int
    embedded: bool

    @property
    def is_pending(self) -> bool:
        """Whether it is not searched yet."""
        return self.chunks == 0


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document's text, without space at its ends.

    Attributes:
        start: Where it stands in the text, in characters.
        page: Where it begins, from 1; None without pages.
    """

    start: int
    text: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk and the terms by which it is found."""

    chunk: Chunk
    terms: Sequence[str]


@dataclass(frozen=True, slots=True)
class KeptChunk:
    """A chunk that is kept: the store's number for it, and its words."""

    id: int
    text: str


@dataclass(frozen=True, slots=True)
class EmbedderKey:
    """Whose vectors can be compared with each other."""

    ref: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """By whose vectors documents are found.

    Attributes:
        wished: Name of the model that the settings wished for when *key* was chosen.
    """

    key: EmbedderKey
    wished: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that one way of searching found; a greater score is better."""

    chunk_id: int
    score: float


@dataclass(frozen=True, slots=True)
class WordHits:
    """What a search by words found.

    Attributes:
        hits: Best first.
        weight: Rarity of all the question's terms together: about what a chunk that holds each
            of them once would score.
    """

    hits: Sequence[Hit] = ()
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Match:
    """A passage that a search found.

    Attributes:
        chunk_id: The store's number for it.
        has_vector: Whether its similarity is known.
        words_rank: Its place among those found by words, from 1; None if it is not there.
        vectors_rank: So among those found by meaning.
    """

    chunk_id: int
    passage: Passage
    has_vector: bool
    words_rank: int | None
    vectors_rank: int | None


ReceiptStatus = Literal["indexed", "unchanged", "waiting"]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a document that was handed in.

    Attributes:
        status: `waiting` when it is kept and found by its words, but the embedder does not
            answer: its vectors follow.
        embedded: Chunks that have a vector.
        probe_rank: Place at which a question made from its middle is answered by it; None
            when it is not among the first ten, or was not asked.
        duration_s: How long it took.
    """

    document: Document
    status: ReceiptStatus
    embedded: int
    probe_rank: int | None
    duration_s: float
