from itertools import combinations, product

import pytest
from confusable_homoglyphs import confusables
from hypothesis import given
from hypothesis import strategies as st

from palabre.core.personas.nicks import is_nick
from palabre.kernel.lookalikes import nick_keys

ALPHABET = "".join(char for char in map(chr, range(0x100)) if is_nick(char))


def alike(one: str, other: str) -> bool:
    return bool(nick_keys(one) & nick_keys(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Batty", "BATTY"),
        ("Isa", "lsa"),
        ("Isa", "1sa"),
        ("b0b", "bOb"),
        ("bob", "b0b"),
        ("Moorcock", "rnoorcock"),
        ("moi", "rnoi"),
        ("Éliane", "éliane"),
        ("Æon", "AEon"),
        ("a×b", "axb"),
    ],
)
def test_names_that_cannot_be_told_apart_share_a_key(one: str, other: str) -> None:
    assert alike(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("ana", "anna"), ("Radigue", "Rodigue"), ("eliane", "éliane"), ("a_b", "a-b")],
)
def test_names_that_differ_share_none(one: str, other: str) -> None:
    assert not alike(one, other)


def test_every_pair_of_letters_that_unicode_calls_confusable_is_alike() -> None:
    found = [
        (one, other)
        for one, other in combinations(ALPHABET, 2)
        if other in _homoglyphs(one) and not alike(f"x{one}x", f"x{other}x")
    ]
    assert found == []


def _homoglyphs(letter: str) -> set[str]:
    listed = confusables.is_confusable(letter, greedy=True) or []
    return {each["c"] for row in listed for each in row["homoglyphs"]}


@given(st.text("lI10OoBbmMrnaA", min_size=1, max_size=4), st.text("lI10OoBbmMrnaA", max_size=4))
def test_likeness_does_not_depend_on_what_surrounds_it(nick: str, around: str) -> None:
    for twin in {nick.upper(), nick.lower(), nick.replace("m", "rn"), nick.replace("1", "l")}:
        assert alike(around + nick, around + twin)


def test_cases_of_a_name_are_one_name() -> None:
    for one, other in product(("ŸÿÉ", "ÿŸÉ"), repeat=2):
        assert alike(one.replace("Ÿ", "ÿ"), other.replace("Ÿ", "ÿ"))
