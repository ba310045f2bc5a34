"""Make one ranking of several: reciprocal rank fusion. Pure."""

from collections import defaultdict
from collections.abc import Sequence

RRF_K = 60
"""How slowly a place loses worth; the value of the paper by Cormack and others (2009)."""


def fuse(rankings: Sequence[Sequence[int]]) -> list[int]:
    """Return the ids of all *rankings*, best first, as each of them is."""
    worth: dict[int, float] = defaultdict(float)
    for ranking in rankings:
        for rank, each in enumerate(ranking, start=1):
            worth[each] += 1 / (RRF_K + rank)
    return sorted(worth, key=lambda each: (-worth[each], each))
