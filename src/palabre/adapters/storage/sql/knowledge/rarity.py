"""How much a term tells of a chunk. Pure."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

LEAST = 1e-6

REMEMBERED_TERMS = 50_000
"""Terms whose frequency is remembered; after that many, all are counted anew."""


@dataclass(slots=True)
class TermStatistics:
    """What is known of the terms of all chunks, at one version of the store.

    Attributes:
        chunks: How many there are.
        mean_terms: How many terms a chunk has on average.
        frequency: In how many chunks each term is, as far as it was asked.
    """

    version: int = 0
    chunks: int = 0
    mean_terms: float = 1.0
    frequency: dict[str, int] = field(default_factory=dict)

    def rarity(self, term: str) -> float:
        """Return the inverse document frequency of *term*, as BM25 in FTS5 has it."""
        hits = self.frequency[term]
        return max(math.log((self.chunks - hits + 0.5) / (hits + 0.5)), LEAST)

    def weight(self, asked: Iterable[str], terms: Iterable[str]) -> float:
        """Return the rarity of those of *terms* that were *asked*, or are in no chunk."""
        sought = set(asked)
        return sum(
            self.rarity(term) for term in terms if term in sought or not self.frequency[term]
        )
