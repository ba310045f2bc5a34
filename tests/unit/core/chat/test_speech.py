"""A persona's own name before its words is left out, in pieces as in the whole."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.computing import computing_s

from palabre.core.chat.speech import MAX_PREFIX, SpeechCleaner


def cleaned(pieces: list[str], nick: str = "Schaeffer") -> tuple[str, str]:
    speech = SpeechCleaner(nick)
    shown = "".join([*map(speech.feed, pieces), speech.finish()])
    return shown, speech.text


@pytest.mark.parametrize(
    "prefix",
    [
        "Schaeffer: ",
        "Schaeffer :\n",
        "Schaeffer:\n\n",
        "**Schaeffer** :\n",
        "**Schaeffer**: ",
        "**Schaeffer:** ",
        "**Schaeffer :** ",
        "*Schaeffer* : ",
        "__Schaeffer__ : ",
        "_Schaeffer_: ",
        "\n  SCHAEFFER : ",
        "Schaeffer\u00a0: ",
        "Schaeffer\u202f:\u00a0",
        "<think>Schaeffer : hm</think>\nSchaeffer : ",
    ],
)
def test_the_own_name_before_a_colon_is_dropped(prefix: str) -> None:
    whole = prefix + "Le son, *d'abord*."
    assert cleaned([whole]) == ("Le son, *d'abord*.", "Le son, *d'abord*.")
    assert cleaned(list(whole)) == ("Le son, *d'abord*.", "Le son, *d'abord*.")


@pytest.mark.parametrize(
    "answer",
    [
        "Schaeffer pense que oui.",
        "Schaefferien : adjectif",
        "Mon nom est Schaeffer : voilà.",
        "Batty : non",
        "Schaeffer",
        "**Schaeffer** est mon nom",
        "Schaeff",
        "**",
    ],
)
def test_an_answer_that_only_begins_with_the_name_keeps_it(answer: str) -> None:
    assert cleaned(list(answer)) == (answer, answer)


def test_emphasis_of_the_answer_itself_stays() -> None:
    assert cleaned(["Batty : **Non** !"], "Batty")[1] == "**Non** !"
    assert cleaned(list("Batty : **Non** !"), "Batty")[0] == "**Non** !"


def test_only_one_prefix_is_dropped() -> None:
    assert cleaned(["Batty: Batty: non"], "Batty")[1] == "Batty: non"


NICKS = st.text("abAB_-éÉß0", min_size=2, max_size=5)


@st.composite
def speeches(draw: st.DrawFn) -> tuple[str, list[str]]:
    nick = draw(NICKS)
    parts = st.sampled_from(
        [
            nick,
            nick.upper(),
            nick[:1],
            ":",
            " ",
            " " * 30,
            "\n",
            "\u00a0",
            "*",
            "**",
            "_",
            "__",
            "a",
            "Oui.",
        ]
    )
    text = "".join(draw(st.lists(parts, max_size=10)))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    return nick, [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@given(speeches())
@example(("_x_", ["_x", "_: bon"]))
def test_what_is_shown_piece_by_piece_is_what_is_said_in_the_end(
    case: tuple[str, list[str]],
) -> None:
    nick, pieces = case
    shown, text = cleaned(pieces, nick)
    assert shown.strip() == text
    assert cleaned(["".join(pieces)], nick)[1] == text


def test_no_more_is_held_back_than_a_prefix_is_long() -> None:
    speech = SpeechCleaner("Batty")
    shown = [speech.feed(piece) for piece in ["Batty", *" " * MAX_PREFIX]]
    assert "".join(shown) == "Batty" + " " * MAX_PREFIX
    assert [len(each) for each in shown if each] == [MAX_PREFIX] + [1] * 5


def test_a_colon_too_far_from_the_name_makes_no_prefix() -> None:
    answer = "Batty" + " " * MAX_PREFIX + ": non"
    assert cleaned([answer], "Batty") == (answer, answer)
    assert cleaned(list(answer), "Batty") == (answer, answer)


@pytest.mark.parametrize("shape", [" ", "Batty ", "Batty: ", "**Batty ", "*", "Batty:", "`"])
def test_no_answer_is_slow_to_clean(shape: str) -> None:
    filler = shape[-1] if shape[-1] in " *:`" else " "
    answer = shape + filler * 20_000 + "x"
    assert computing_s(lambda: cleaned([answer], "Batty")) < 0.2
