"""Grade rankings: recall and nDCG. Pure."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

NDCG_DEPTH = 10


@dataclass(frozen=True, slots=True)
class Grades:
    """How well one way of searching did, from 0 to 1.

    Attributes:
        recall: By depth: the share of questions whose answer is among the first so many.
        ndcg: At ten: an answer counts for less the further down it stands.
    """

    recall: dict[int, float]
    ndcg: float


def grade(places: Sequence[int | None], depths: Collection[int]) -> Grades:
    """Return the grades of answers that stand at *places*, from 1; None where there was none."""
    count = max(len(places), 1)
    recall = {
        depth: sum(place is not None and place <= depth for place in places) / count
        for depth in depths
    }
    gains = [1 / math.log2(each + 1) for each in places if each and each <= NDCG_DEPTH]
    return Grades(recall, sum(gains) / count)
