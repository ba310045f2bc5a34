import pytest
from hypothesis import given
from hypothesis import strategies as st

from palabre.core.history.folding import (
    MOST_GRAMS,
    asked_grams,
    channel_piece,
    folded,
    folded_line,
    grams,
)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Été À ŒUVRE", "ete a œuvre"),
        ("STRASSE straße", "strasse strasse"),
        ("ﬁn Ｗide", "fin wide"),
        ("a\t\n  b", "a b"),
        ("e\u0301", "e"),
        ("한국", "한국"),
        ("İ", "i"),
        ("שלום", "שלום"),
    ],
)
def test_case_accents_widths_and_blanks_do_not_matter(words: str, expected: str) -> None:
    assert folded(words) == expected


def test_a_line_is_its_nick_and_its_text() -> None:
    assert folded_line("Léa", "Bonjour\nà tous") == "lea\nbonjour a tous"


def _of(line: str) -> set[str]:
    return grams(line, "#lab") - {channel_piece("#lab")}


def test_pieces_are_all_pairs_and_triples() -> None:
    assert _of("abca") == {"ab", "bc", "ca", "abc", "bca"}
    assert _of("a") == set()


def test_where_two_words_meet_is_a_piece() -> None:
    assert "un mo" in _of("un mot")
    assert {piece for piece in _of("a b cd ef g hi") if len(piece) > 3} == {
        *(" b cd", "cd ef", "ef g ", " g hi"),
    }
    assert asked_grams("les gens")[0] == "es ge"


def test_pieces_that_look_rare_are_asked_first_and_not_too_many() -> None:
    assert asked_grams("zygomatiques")[0] == "zyg"
    assert len(asked_grams("une phrase assez longue pour avoir beaucoup de morceaux")) == MOST_GRAMS
    assert asked_grams("zq") == ["zq"]


def test_a_channel_is_a_piece_that_no_words_have() -> None:
    assert asked_grams("zq", "#lab") == ["zq", channel_piece("#lab")]
    assert channel_piece("#lab") in grams("lea\n#lab", "#lab")
    assert channel_piece("#lab") not in grams("lea\n#lab", "#autre")


@given(st.text(max_size=60), st.data())
def test_every_line_has_the_pieces_that_are_asked_of_any_part_of_it(
    words: str, data: st.DataObject
) -> None:
    line = folded(words)
    start = data.draw(st.integers(0, max(0, len(line) - 2)))
    part = line[start : data.draw(st.integers(start, len(line)))]
    if len(part) >= 2:
        assert set(asked_grams(part)) <= _of(line)


@given(st.text(max_size=60))
def test_folding_twice_is_folding_once(words: str) -> None:
    assert folded(folded(words)) == folded(words)
