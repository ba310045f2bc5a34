"""Rows of many shapes as conversations."""

import pytest

from palabre.core.engine.artifacts import Record
from palabre.core.engine.conversations import as_json, conversation_of, is_complete, single

ASKS = {"role": "user", "content": "Qui ?"}
SAYS = {"role": "assistant", "content": "Moi."}


@pytest.mark.parametrize(
    "record",
    [
        {"messages": [ASKS, SAYS]},
        {
            "conversations": [
                {"from": "human", "value": "Qui ?"},
                {"from": "gpt", "value": " Moi. "},
            ]
        },
        {"instruction": "Qui ?", "output": "Moi."},
        {"prompt": "Qui ?", "completion": "Moi.", "input": ""},
        {"question": "Qui ?", "answer": "Moi."},
        {"prompt": "Qui ?", "chosen": "Moi.", "rejected": "Toi."},
        {"input": "Qui ?", "output": "Moi."},
    ],
)
def test_questions_and_answers_are_found_under_their_usual_names(record: Record) -> None:
    turns = conversation_of(record)
    assert turns == [ASKS, SAYS]
    assert is_complete(turns)


def test_an_input_comes_behind_its_instruction_and_a_system_in_front() -> None:
    record = {"system": "Bref.", "instruction": "Traduis", "input": "oui", "output": "yes"}
    assert conversation_of(record) == [
        {"role": "system", "content": "Bref."},
        {"role": "user", "content": "Traduis\n\noui"},
        {"role": "assistant", "content": "yes"},
    ]


@pytest.mark.parametrize(
    "record", [{"text": "seul"}, {"messages": "non"}, {"prompt": "Qui ?"}, {"messages": [3, {}]}]
)
def test_what_is_no_conversation_is_none(record: Record) -> None:
    assert conversation_of(record) == []


def test_roles_that_nobody_knows_and_empty_words_are_left_out() -> None:
    turns = conversation_of(
        {"messages": [{"role": "tool", "content": "x"}, ASKS, {**SAYS, "content": ""}]}
    )
    assert turns == [ASKS]
    assert not is_complete(turns)


def test_a_single_exchange_is_the_first_one() -> None:
    turns = conversation_of({"messages": [SAYS, ASKS, SAYS, ASKS, SAYS]})
    assert as_json(single(turns)) == [ASKS, SAYS]
    assert single(turns[:1]) == []
