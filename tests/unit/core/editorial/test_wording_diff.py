"""What a proposal changes, word by word."""

from time import perf_counter

from hypothesis import given
from hypothesis import strategies as st

from palabre.core.editorial.model import Wording
from palabre.core.editorial.wording_diff import Part, changes, diff

words = st.text(st.sampled_from("ab \n"), max_size=60)


def test_words_that_stay_come_and_go_are_told() -> None:
    assert diff("Tu parles de bruit.", "Tu parles de silence.") == (
        Part("same", "Tu parles de"),
        Part("removed", " bruit."),
        Part("added", " silence."),
    )


def test_only_fields_that_change_are_told() -> None:
    before, after = Wording("Batty", "m", "a"), Wording("Roy", "m", "a")
    assert [each.name for each in changes(before, after)] == ["name"]
    assert changes(before, before) == ()


@given(words, words)
def test_the_parts_make_both_texts(before: str, after: str) -> None:
    parts = diff(before, after)
    assert "".join(part.text for part in parts if part.operation != "added") == before
    assert "".join(part.text for part in parts if part.operation != "removed") == after


def test_the_longest_texts_are_compared_in_a_blink() -> None:
    started_s = perf_counter()
    diff("a b " * 500, "b a c " * 333)
    diff("a\n" * 1000, "b\na\n" * 500)
    assert perf_counter() - started_s < 2
