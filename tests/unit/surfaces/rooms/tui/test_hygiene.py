import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palabre.surfaces.rooms.tui.hygiene import MAX_CHARACTERS, MAX_NICK, clean, clean_nick


@pytest.mark.parametrize(
    ("hostile", "harmless"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[2J\x1b[Hgone", "gone"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]52;c;cm0gLXJm\x1b\\clipboard", "clipboard"),
        ("\x1b]8;;https://bad.example\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bP1$r0m\x1b\\dcs", "dcs"),
        ("\x9b31mc1", "c1"),
        ("bell\x07 null\x00 back\x08", "bell null back"),
        ("\u202eesrever\u202c", "esrever"),
        ("\u2066isolated\u2069", "isolated"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("tags\U000e0041", "tags"),
        ("one\r\ntwo\rthree\u2028four\x85five", "one\ntwo\nthree\nfour\nfive"),
        ("a\tb", "a    b"),
        ("\ud800", "\ufffd"),
        ("Z" + "\u0301" * 50, "Z" + "\u0301" * 3),
    ],
)
def test_what_could_trick_a_terminal_is_taken_out(hostile: str, harmless: str) -> None:
    assert clean(hostile) == harmless


@pytest.mark.parametrize(
    "text", ["déjà vu", "שלום עולם", "می‌خواهم", "👩‍🚀 🇫🇷", "[bold]not markup[/bold]"]
)
def test_ordinary_text_of_any_script_stays(text: str) -> None:
    assert clean(text) == text


def test_a_text_beyond_all_measure_is_cut() -> None:
    assert clean("x" * (MAX_CHARACTERS + 5)) == "x" * MAX_CHARACTERS + "…"


def test_a_nick_is_one_short_line() -> None:
    assert clean_nick("  a\nb\x1b[1m  ") == "a b"
    assert len(clean_nick("n" * 10_000)) == MAX_NICK


@given(st.text(alphabet=st.characters(codec=None), max_size=200))
def test_no_control_character_ever_passes(text: str) -> None:
    assert all(
        char == "\n" or unicodedata.category(char) not in ("Cc", "Cs") for char in clean(text)
    )


@given(st.text(max_size=100))
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    assert clean(clean(text)) == clean(text)
