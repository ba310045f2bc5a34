from palabre.core.knowledge.fusion import fuse


def test_what_both_rank_high_comes_first() -> None:
    assert fuse([[1, 2, 3], [2, 4]]) == [2, 1, 4, 3]


def test_one_ranking_alone_stays_as_it_is() -> None:
    assert fuse([[3, 1, 2], []]) == [3, 1, 2]


def test_ties_are_settled_by_number() -> None:
    assert fuse([[7], [5]]) == [5, 7]
