"""What of a text an engine gets to say."""

import pytest

from palabre.core.speech.words import sayable


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("  Bonjour,\n\n Marie\t!", "Bonjour, Marie !"),
        ("Bravo 🎉👩‍🚀 !", "Bravo !"),
        ("a\0b\x1b[31m", "a b [31m"),
        ("Il fait 20 °C © moi", "Il fait 20 °C © moi"),
        ("1️⃣ premier", "1 premier"),
        ("שלום עולם", "שלום עולם"),
        ("\u202eabc\u202c", "abc"),
        ("e\u0301te\u0301", "été"),
        ("\ud800x", "x"),
        ("10", "10"),
    ],
)
def test_only_what_can_be_said_is_said(words: str, said: str) -> None:
    assert sayable(words) == said


@pytest.mark.parametrize("words", ["", " \n", "…", "🙂", "\0\0", "--- !", "\ufe0f", "\ud83d"])
def test_signs_alone_are_nothing_to_say(words: str) -> None:
    assert sayable(words) == ""


def test_the_length_is_bounded() -> None:
    assert len(sayable("mot " * 100_000)) <= 1000
