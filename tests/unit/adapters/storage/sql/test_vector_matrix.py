import numpy as np
import pytest

from palabre.adapters.storage.sql.knowledge.vector_matrix import SKETCHED_FROM, VectorMatrix


def texts_like(count: int, seed: int = 1) -> np.ndarray:
    """Vectors that lie in groups, and use some directions more than others."""
    chance = np.random.default_rng(seed)
    spread = 1 / np.sqrt(1 + np.arange(128) / 10)
    topics = chance.standard_normal((50, 128)) * spread
    vectors = topics[chance.integers(0, 50, count)] + chance.standard_normal((count, 128)) * spread
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def matrix_of(vectors: np.ndarray) -> VectorMatrix:
    ids = list(range(len(vectors)))
    rows = {1: iter([(ids, vectors.tobytes())])}
    return VectorMatrix.empty(vectors.shape[1]).changed((), {1: len(ids)}, rows)


def test_many_vectors_are_searched_by_a_sketch_that_misses_none_of_the_best() -> None:
    vectors = texts_like(SKETCHED_FROM)
    matrix = matrix_of(vectors)
    assert matrix.sketch is not None
    for question in texts_like(20, seed=1)[:20]:
        exact = np.argsort(-(vectors @ question))[:10]
        hits = matrix.nearest(question, 10)
        assert {hit.chunk_id for hit in hits} == set(exact.tolist())
        assert hits[0].score == pytest.approx(float(vectors[exact[0]] @ question), abs=1e-5)


def test_few_vectors_are_all_compared() -> None:
    assert matrix_of(texts_like(100)).sketch is None


def test_embeddings_come_and_go_and_the_others_stay() -> None:
    vectors = texts_like(3)
    first = matrix_of(vectors[:2])
    rows = {2: iter([([7], vectors[2:].tobytes())])}
    both = first.changed({1}, {2: 1}, rows)
    assert both.ids.tolist() == [0, 1, 7]
    second = both.changed({2}, {}, {})
    assert second.ids.tolist() == [7]
    assert second.nearest(vectors[2], 5)[0].chunk_id == 7
    assert VectorMatrix.empty(3).nearest([1, 0, 0], 5) == []


def test_similarities_are_told_of_chunks_in_any_order() -> None:
    vectors = texts_like(3)
    rows = {1: iter([([9, 2], vectors[:2].tobytes())]), 2: iter([([5], vectors[2:].tobytes())])}
    matrix = VectorMatrix.empty(128).changed((), {1: 2, 2: 1}, rows)
    found = matrix.similarities(vectors[0], [5, 99, 9, 1])
    assert found == pytest.approx({5: float(vectors[2] @ vectors[0]), 9: 1.0}, abs=1e-5)
    assert VectorMatrix.empty(128).similarities(vectors[0], [5]) == {}
