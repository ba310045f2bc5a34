"""Judgements as feedback keeps them."""

import json
from dataclasses import replace

import pytest

from palabre.core.editorial.model import FeedbackKind
from palabre.core.editorial.votes import Judgement, read_judgement, without_words

UP = Judgement("up", "Le son.", "Quoi ?", "reply_1", "#general")


def test_a_vote_has_the_shape_that_clients_know() -> None:
    assert UP.kind is FeedbackKind.VOTE
    assert json.loads(UP.message) == {
        "type": "vote",
        "vote": "up",
        "response": "Le son.",
        "prompt": "Quoi ?",
        "messageId": "reply_1",
        "channel": "#general",
    }


@pytest.mark.parametrize(
    "judgement", [UP, Judgement("pin", "x"), Judgement("react", "x", reaction="🎵")]
)
def test_what_is_written_is_read_again(judgement: Judgement) -> None:
    assert read_judgement(judgement.message) == judgement


@pytest.mark.parametrize(
    "message",
    ["+1", "Persona modifiée", "[]", "{}", '{"type":"vote","vote":"meh","response":"x"}',
     '{"type":"vote","vote":"up"}', '{"type":"vote","vote":["up"],"response":"x"}', "[" * 99999],
)  # fmt: skip
def test_what_is_no_judgement_is_none(message: str) -> None:
    assert read_judgement(message) is None


def test_a_second_thumb_has_the_place_of_the_first_and_nothing_else_has() -> None:
    slot = UP.slot("anne")
    assert replace(UP, verdict="down").slot("anne") == slot
    others = [
        UP.slot("bob"),
        replace(UP, message_id="reply_2").slot("anne"),
        replace(UP, verdict="pin").slot("anne"),
        replace(UP, verdict="react", reaction="a").slot("anne"),
        replace(UP, verdict="react", reaction="b").slot("anne"),
    ]
    assert len({slot, *others}) == len(others) + 1


def test_without_an_id_the_answer_itself_is_the_place() -> None:
    first, second = (Judgement("up", words) for words in ("a", "b"))
    assert first.slot("anne") == replace(first, verdict="down").slot("anne")
    assert first.slot("anne") != second.slot("anne")


def test_prompts_that_differ_in_spaces_alone_are_one() -> None:
    assert UP.prompt_key == replace(UP, prompt=" Quoi\n ?").prompt_key
    assert UP.prompt_key != replace(UP, prompt="Qui ?").prompt_key


def test_what_was_said_can_be_left_out() -> None:
    told = json.loads(without_words(UP.message))
    assert (told["vote"], told["response"], told["prompt"]) == ("up", "[7]", "[6]")
    assert without_words("Persona modifiée par anne") == "Persona modifiée par anne"
