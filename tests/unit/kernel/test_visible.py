from palabre.kernel.visible import is_visible, one_line


def test_what_cannot_be_seen_is_a_space_and_spaces_are_one() -> None:
    assert one_line(" un\x00\x1b[31m\u202e\ndeux\u2028trois \ud800", 40) == "un [31m deux trois"
    assert [is_visible(char) for char in "a é\u200b\x07\ue000"] == [True] * 3 + [False] * 3


def test_what_is_too_long_is_cut_at_a_words_end() -> None:
    assert one_line("des mots qui suivent", 12) == "des mots…"
    assert one_line("x" * 20, 12) == "x" * 11 + "…"
    assert one_line("x" * 12, 12) == "x" * 12


def test_a_word_that_is_most_of_it_is_cut_itself() -> None:
    assert one_line("a " + "x" * 20, 12) == "a " + "x" * 9 + "…"


def test_what_is_no_text_says_nothing() -> None:
    assert one_line(3, 12) == one_line(None, 12) == ""
