"""Pairs of a better and a worse answer."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from palabre.core.editorial.model import Feedback
from palabre.core.editorial.pairs import Pair, pairs_of
from palabre.core.editorial.votes import Judgement, Verdict, plain
from palabre.kernel.ids import PersonaId

TEN = datetime(2026, 3, 20, 10, tzinfo=UTC)
BATTY = PersonaId("batty")


def judged(*said: tuple[Verdict, str] | tuple[Verdict, str, str]) -> list[Feedback]:
    judgements = [Judgement(each[0], each[1], each[2] if len(each) > 2 else "q") for each in said]
    feedback = [
        Feedback(
            f"feedback_{number}",
            BATTY,
            each.kind,
            each.message,
            TEN + timedelta(seconds=number),
            prompt_key=each.prompt_key,
        )
        for number, each in enumerate(judgements)
    ]
    return sorted(feedback, key=lambda each: each.prompt_key)


def pairs(*said: tuple[Verdict, str] | tuple[Verdict, str, str]) -> list[tuple[str, str, str]]:
    found = pairs_of(judged(*said), "Batty: un réplicant")
    return [(each.prompt, each.chosen, each.rejected) for each in found]


def test_the_nth_that_is_liked_goes_with_the_nth_that_is_not() -> None:
    assert pairs(("down", "x"), ("up", "a"), ("up", "b"), ("down", "y"), ("up", "c")) == [
        ("q", "a", "x"),
        ("q", "b", "y"),
    ]


def test_answers_to_different_prompts_are_no_pair() -> None:
    assert pairs(("up", "a", "q"), ("down", "b", "r")) == []
    assert pairs(("up", "a", "q  r"), ("down", "b", " q r")) == [("q  r", "a", "b")]


def test_an_answer_is_never_better_than_itself() -> None:
    assert pairs(("up", "a"), ("down", " a ")) == []
    assert pairs(("up", "a"), ("up", "a"), ("down", "a"), ("down", "b")) == [("q", "a", "b")]


def test_nothing_comes_twice() -> None:
    assert pairs(("up", "a"), ("up", "a"), ("down", "b"), ("down", "b")) == [("q", "a", "b")]


def test_a_pin_is_for_an_answer_that_has_no_thumb() -> None:
    assert pairs(("pin", "a"), ("down", "b")) == [("q", "a", "b")]
    assert pairs(("pin", "b"), ("down", "b"), ("up", "a")) == [("q", "a", "b")]


def test_reactions_decide_nothing() -> None:
    assert pairs(("react", "a"), ("down", "b")) == []


def test_thoughts_are_no_part_of_answers_and_what_is_left_empty_is_none() -> None:
    thinking = ("up", "<think>non</think>a")
    assert pairs(thinking, ("down", "<think>seulement</think>"), ("down", "b")) == [("q", "a", "b")]


def test_where_the_prompt_is_not_known_the_persona_stands_for_it() -> None:
    assert pairs(("up", "a", ""), ("down", "b", "")) == [("Batty: un réplicant", "a", "b")]


def test_feedback_that_is_no_judgement_is_left_out() -> None:
    odd = Feedback("f", BATTY, judged(("up", "a"))[0].kind, "+1", TEN, prompt_key="k")
    assert list(pairs_of([odd], "x")) == []


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["up", "down", "pin", "react"]),
            st.sampled_from(["a", "a ", "b", "c", "<think>d</think>", "d"]),
            st.sampled_from(["", "q", "q ", "r"]),
        )
    )
)
def test_pairs_are_whole_different_and_unique(said: list[tuple[Verdict, str, str]]) -> None:
    found: list[Pair] = list(pairs_of(judged(*said), "fallback"))
    for pair in found:
        assert pair.prompt
        assert plain(pair.chosen)
        assert plain(pair.rejected)
        assert plain(pair.chosen) != plain(pair.rejected)
    assert len({(plain(p.prompt), plain(p.chosen), plain(p.rejected)) for p in found}) == len(found)
