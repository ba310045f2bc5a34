"""Personas are called by `@Nick`, and by nothing that merely looks like it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.computing import computing_s

from palabre.core.personas.mentions import MAX_CALLS, mentioned, mentions, next_speaker
from palabre.testing.personas import a_persona

CAST = tuple(map(a_persona, ["Radigue", "Batty", "Bat", "Pharmacius", "Éliane"]))
SCHAEFFER = a_persona("Schaeffer")


def called(text: str) -> list[str]:
    return [persona.nick for persona in mentioned(text, CAST)]


@pytest.mark.parametrize(
    ("text", "nicks"),
    [
        ("Bonjour @Batty", ["Batty"]),
        ("@batty, @RADIGUE !", ["Batty", "Radigue"]),
        ("@Bat et @Batty", ["Bat", "Batty"]),
        ("@Battyxx", []),
        ("@Batty_", []),
        ("@Batty's", ["Batty"]),
        ("(@Batty)", ["Batty"]),
        ("**@Batty**", ["Batty"]),
        ("@Batty @Batty", ["Batty"]),
        ("a@Batty.fr", []),
        ("jean.@Batty", []),
        ("https://exemple.fr/@Batty", []),
        ("www.exemple.fr/@Batty et @Bat", ["Bat"]),
        ("`@Batty` ou @Bat", ["Bat"]),
        ("```\n@Batty\n``` @Bat", ["Bat"]),
        ("```\n@Batty never closed", []),
        ("@@Batty", []),
        ("@ Batty", []),
        ("@E\u0301liane", ["Éliane"]),
        ("@éLIANE", ["Éliane"]),
        ("ete\u0301@Batty", []),
        ("@Batty\u0301", []),
        ("@Batty,@Bat", ["Batty", "Bat"]),
        ("@Batty" + "a" * 200, []),
        ("@Nobody", []),
        ("", []),
    ],
)
def test_a_mention_is_a_whole_name_in_what_is_spoken(text: str, nicks: list[str]) -> None:
    assert called(text) == nicks


def test_letters_that_only_match_when_case_is_ignored_still_name_somebody() -> None:
    assert called("@Rad\u0131gue") == ["Radigue"]
    assert called("@RAD\u0130GUE") == ["Radigue"]
    assert called("@Pharmaciu\u017f") == ["Pharmacius"]


@given(st.text(st.sampled_from("@BatyRdigueıİſ\u212a `>\n./-é_"), max_size=40))
def test_no_text_is_too_strange_to_look_for_names_in(text: str) -> None:
    assert set(mentioned(text, CAST)) <= set(CAST)
    next_speaker(text, SCHAEFFER, CAST)


def test_names_of_nobody_are_told_too() -> None:
    batty = a_persona("Batty")
    found = list(mentions("@Bat @BATTY, @Batty's `@Code` a@b.fr", [batty]))
    assert found == [("Bat", None), ("BATTY", batty), ("Batty", batty)]


def test_nobody_is_found_among_nobody() -> None:
    assert mentioned("@Batty", []) == []


def test_an_answer_calls_the_first_it_names_but_neither_itself_nor_those_it_quotes() -> None:
    cast = (SCHAEFFER, *CAST)
    answer = "> @Radigue disait\n@Schaeffer c'est moi ; @Batty, et @Radigue ?"
    speaker = next_speaker(answer, SCHAEFFER, cast)
    assert speaker is not None
    assert speaker.nick == "Batty"
    assert next_speaker("@schaeffer", SCHAEFFER, cast) is None


@pytest.mark.parametrize("opening", ["", "@", "@a", "@Schaeffer a", "@Batty "])
def test_no_heap_of_accents_is_slow_to_look_through(opening: str) -> None:
    heap = "\u0301" * 200_000 + "\u0323" * 200_000
    next_speaker(opening + heap, SCHAEFFER, CAST)
    next_speaker(("@" + heap[199_000:201_000]) * 20, SCHAEFFER, CAST)


@pytest.mark.parametrize("unit", ["`", "```", "@", "@Batty", "http://", "www.", "> ", "a@", "\n>"])
def test_no_text_is_slow_to_look_through(unit: str) -> None:
    answer = unit * (200_000 // len(unit))
    assert computing_s(lambda: next_speaker(answer, SCHAEFFER, CAST)) < 1


@pytest.mark.parametrize("unit", ["@Batty ", "@Schaeffer ", "@a ", "@Schaefferin "])
def test_an_answer_full_of_names_holds_nobody_up(unit: str) -> None:
    """Before, each of them was looked up: 40 ms on the event loop, and more with a large cast."""
    answer = unit * (200_000 // len(unit))
    cast = [SCHAEFFER, *CAST]
    assert len(list(mentions(answer, cast))) == MAX_CALLS
    assert computing_s(lambda: next_speaker(answer, SCHAEFFER, cast)) < 0.2


def test_the_first_names_of_a_text_are_enough() -> None:
    nobody = "@personne " * MAX_CALLS
    assert mentioned(f"@Batty {nobody}", CAST) == mentioned("@Batty", CAST)
    assert mentioned(f"{nobody}@Batty", CAST) == []
