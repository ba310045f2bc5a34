import pytest

from palabre.core.knowledge.graphemes import border_before, is_border


@pytest.mark.parametrize(
    ("text", "borders"),
    [
        ("ab", {0, 1, 2}),
        ("e\u0301a", {0, 2, 3}),
        ("\r\n", {0, 2}),
        ("👍🏽!", {0, 2, 3}),
        ("👩\u200d🚀", {0, 3}),
        ("🇫🇷🇧🇪", {0, 2, 4}),
        ("각", {0, 1}),
        ("\u1100\u1161\u11a8", {0, 3}),
    ],
)
def test_borders_lie_between_what_is_seen_as_characters(text: str, borders: set[int]) -> None:
    assert {at for at in range(len(text) + 1) if is_border(text, at)} == borders


def test_without_a_border_the_text_is_cut_where_it_must_be() -> None:
    assert border_before("a" + "\u0301" * 20, 1, 10) == 10
    assert border_before("abc", 0, 2) == 2
