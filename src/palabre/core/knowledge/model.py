"""What is found in documents."""

from dataclasses import dataclass


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
