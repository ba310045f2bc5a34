"""Vectors in memory: a product with all of them, or with a sketch of each where they are many."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palabre.core.knowledge.model import Hit

SKETCHED_FROM = 20_000
"""Vectors from which on a product with all of them takes too long."""

SKETCH_DIMENSIONS = 96
CANDIDATES = 2000
"""Vectors that look near in the sketch, and are then compared exactly."""

SAMPLE = 10_000

Rows = Iterator[tuple[Sequence[int], bytes]]
"""Chunk ids, and their vectors one after the other, as float32."""


@dataclass(frozen=True, slots=True)
class Sketch:
    """The same vectors along the few axes on which they differ most.

    Attributes:
        axes: One axis a row.
        rows: One short vector a row.
    """

    axes: NDArray[np.float32]
    rows: NDArray[np.float32]

    @classmethod
    def of(cls, matrix: NDArray[np.float32]) -> "Sketch | None":
        """Return the sketch of *matrix*; None where it is not worth it."""
        if len(matrix) < SKETCHED_FROM or matrix.shape[1] <= SKETCH_DIMENSIONS:
            return None
        sample = matrix[:: max(len(matrix) // SAMPLE, 1)]
        axes = np.ascontiguousarray(np.linalg.eigh(sample.T @ sample)[1].T[-SKETCH_DIMENSIONS:])
        return cls(axes, matrix @ axes.T)

    def candidates(self, vector: NDArray[np.float32]) -> NDArray[np.intp]:
        """Return the rows that are likely near *vector*."""
        scores = _cosines(self.rows, _cosines(self.axes, vector))
        return np.argpartition(scores, -CANDIDATES)[-CANDIDATES:]


@dataclass(frozen=True, slots=True)
class VectorMatrix:
    """The vectors of whole embeddings, by number; never changed, only replaced.

    Attributes:
        spans: Which rows belong to the embedding of a number.
        ids: Chunk of each row.
        by_id: The rows in the order of their chunks.
        matrix: One vector of length 1 a row.
        sketch: None where every row is compared.
    """

    spans: Mapping[int, tuple[int, int]]
    ids: NDArray[np.int64]
    by_id: NDArray[np.intp]
    matrix: NDArray[np.float32]
    sketch: Sketch | None = None

    @classmethod
    def empty(cls, dimensions: int) -> "VectorMatrix":
        """Return a matrix without rows."""
        none = np.empty(0, np.int64)
        return cls({}, none, none, np.empty((0, dimensions), np.float32))

    def changed(
        self, keep: Collection[int], added: Mapping[int, int], rows: Mapping[int, Rows]
    ) -> "VectorMatrix":
        """Return a matrix with the embeddings *keep* of this one and those *added*.

        *added* says how many rows each of the new ones has, *rows* where they come from.
        """
        kept = {number: self.spans[number] for number in self.spans if number in keep}
        count = sum(end - start for start, end in kept.values()) + sum(added.values())
        filling = _Filling(count, self.matrix.shape[1])
        for number, (start, end) in kept.items():
            filling.put(number, self.ids[start:end], self.matrix[start:end])
        for number, pieces in rows.items():
            filling.put_rows(number, pieces)
        ids, matrix = filling.ids, filling.matrix
        return VectorMatrix(filling.spans, ids, np.argsort(ids), matrix, Sketch.of(matrix))

    def nearest(self, vector: Sequence[float], limit: int) -> list[Hit]:
        """Return the *limit* rows with the greatest cosine, best first."""
        wanted = np.asarray(vector, np.float32)
        if self.sketch is None:
            ids, scores = self.ids, _cosines(self.matrix, wanted)
        else:
            rows = self.sketch.candidates(wanted)
            ids, scores = self.ids[rows], _cosines(self.matrix[rows], wanted)
        limit = min(limit, len(scores))
        if not limit:
            return []
        least = np.partition(scores, -limit)[-limit]
        best = np.flatnonzero(scores >= least)
        order = np.lexsort((ids[best], -scores[best]))[:limit]
        return [Hit(int(ids[row]), float(scores[row])) for row in best[order]]

    def similarities(self, vector: Sequence[float], ids: Sequence[int]) -> dict[int, float]:
        """Return the cosine of the chunks *ids*; those without a vector are left out."""
        rows = self._rows(np.asarray(ids, np.int64))
        scores = _cosines(self.matrix[rows], np.asarray(vector, np.float32))
        return {int(self.ids[row]): float(score) for row, score in zip(rows, scores, strict=True)}

    def _rows(self, ids: NDArray[np.int64]) -> NDArray[np.intp]:
        places = np.searchsorted(self.ids, ids, sorter=self.by_id)
        is_within = places < len(self.ids)
        rows = self.by_id[places[is_within]]
        found: NDArray[np.intp] = rows[self.ids[rows] == ids[is_within]]
        return found


def _cosines(matrix: NDArray[np.float32], vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the product of each row with *vector*.

    Not by `@`: it takes all cores for one question, and they spin while they wait.
    """
    products: NDArray[np.float32] = np.vecdot(matrix, vector)
    return products


class _Filling:
    """A matrix that is being filled from its first row on."""

    def __init__(self, count: int, dimensions: int) -> None:
        self.spans: dict[int, tuple[int, int]] = {}
        self.ids = np.empty(count, np.int64)
        self.matrix = np.empty((count, dimensions), np.float32)
        self._end = 0

    def put(self, number: int, ids: NDArray[np.int64], matrix: NDArray[np.float32]) -> None:
        start, self._end = self._end, self._end + len(ids)
        self.ids[start : self._end] = ids
        self.matrix[start : self._end] = matrix
        self.spans[number] = (self.spans.get(number, (start,))[0], self._end)

    def put_rows(self, number: int, rows: Rows) -> None:
        for ids, vectors in rows:
            matrix = np.frombuffer(vectors, np.float32).reshape(len(ids), -1)
            self.put(number, np.asarray(ids, np.int64), matrix)
