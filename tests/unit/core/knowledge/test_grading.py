import pytest

from palabre.core.knowledge.grading import grade


def test_recall_counts_the_questions_answered_within_a_depth() -> None:
    grades = grade([1, 2, None, 7], (1, 2, 5))
    assert grades.recall == {1: 0.25, 2: 0.5, 5: 0.5}


def test_ndcg_counts_an_answer_for_less_the_lower_it_stands() -> None:
    assert grade([1], ()).ndcg == 1
    assert grade([3], ()).ndcg == pytest.approx(0.5)
    assert grade([11, None], ()).ndcg == 0


def test_no_question_has_no_grade() -> None:
    assert grade([], (1,)).recall == {1: 0}
