"""Where personas look things up."""

from collections.abc import Sequence
from typing import Protocol

from palabre.core.knowledge.model import Passage


class PassageFinder(Protocol):
    """Finds what bears on a question."""

    async def find(self, question: str) -> Sequence[Passage]:
        """Return the best passages, best first; empty when nothing is near enough.

        Never fails: without documents, or while the embedder is down, it finds by words or
        nothing at all, and tells the operator.
        """
        ...


class NoDocuments:
    """`PassageFinder` of an installation without documents."""

    async def find(self, question: str) -> Sequence[Passage]:  # noqa: ARG002
        return ()
