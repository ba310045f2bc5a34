"""Which names people may have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palabre.core.personas.nicks import MAX_NICK, chosen_nick, wished_nick

ALPHABET = "".join(
    char for char in map(chr, range(0x100)) if char in "_-" or (char.isalnum() and char < "\x80")
) + "".join(map(chr, range(0xC0, 0x100)))


@pytest.mark.parametrize(
    ("query", "nick"),
    [
        (None, None),
        ("", None),
        ("   ", None),
        ("a", "a"),
        (" ana ", "ana"),
        ("x" * 30, "x" * 24),
        ("Éloïse", "Éloïse"),
        ("E\u0301loi\u0308se", "Éloïse"),
        ("e\u0301" * 30, "é" * 24),
        ("\u0301\u0302", None),
        ("a\u0323", None),
        ("a b", None),
        ("<b>", None),
        ("日本", None),
        ("a\x00", None),
        ("a\n", "a"),
        ("\u202ea", None),
        ("a\u200b", None),
        ("\uff41na", None),
        ("ana\ud800", None),
    ],
)
def test_a_wished_nick_is_trimmed_cut_and_checked(query: str | None, nick: str | None) -> None:
    assert wished_nick(query) == nick


@pytest.mark.parametrize(
    ("words", "nick"),
    [("a", None), ("ab", "ab"), ("x" * 24, "x" * 24), ("x" * 25, None), ("e\u0301", None)],
)
def test_a_chosen_nick_is_never_cut(words: str, nick: str | None) -> None:
    assert chosen_nick(words) == nick


@pytest.mark.parametrize("words", ["a" + "\u0301" * 50_000 + "\u0323" * 50_000, " " * 50_000 + "a"])
def test_no_words_are_too_long_to_judge(words: str) -> None:
    assert chosen_nick(words) is None
    assert wished_nick(words) == wished_nick(words[-1] if words[0] == " " else words[:100])


def test_letters_with_their_accents_apart_fill_a_whole_nick() -> None:
    assert chosen_nick("e\u0301" * 24) == "é" * 24
    assert chosen_nick("e\u0301" * 25) is None


@given(st.text(max_size=40))
def test_no_query_is_too_strange_to_judge(query: str) -> None:
    nick = wished_nick(query)
    assert nick is None or (0 < len(nick) <= MAX_NICK and set(nick) <= set(ALPHABET))


def test_the_alphabet_is_that_of_the_contract() -> None:
    for char in map(chr, range(0x250)):
        assert (wished_nick(f"x{char}x") is not None) == (char in ALPHABET)
