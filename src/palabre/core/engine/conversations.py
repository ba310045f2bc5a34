"""Rows of many shapes as conversations to train on. Pure."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypedDict

from palabre.core.engine.artifacts import Record
from palabre.core.tools.model import Json

ASKED = ("instruction", "prompt", "question", "user", "input")
ANSWERED = ("output", "completion", "response", "answer", "assistant", "chosen")
ROLES = {
    "system": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "gpt": "assistant",
    "bot": "assistant",
    "model": "assistant",
}


class Turn(TypedDict):
    """One message of a conversation."""

    role: str
    content: str


def conversation_of(record: Record) -> list[Turn]:
    """Return what *record* holds as a conversation; empty if it holds none.

    It is one that has `messages` (`role`, `content`) or `conversations` (`from`, `value`), or a
    question and its answer under any of the names in `ASKED` and `ANSWERED`, with `input` behind
    the question and `system` in front.
    """
    turns = _turns(record.get("messages") or record.get("conversations"))
    return turns if turns is not None else _exchange(record)


def is_complete(turns: Sequence[Turn]) -> bool:
    """Whether somebody asks something and the assistant has the last word."""
    asks = any(each["role"] == "user" for each in turns)
    return asks and turns[-1]["role"] == "assistant"


def as_json(turns: Sequence[Turn]) -> list[Json]:
    """Return *turns* as trainers read them below `messages`."""
    return [{"role": each["role"], "content": each["content"]} for each in turns]


def single(turns: Sequence[Turn]) -> list[Turn]:
    """Return the first question with its answer alone; empty if there is none."""
    for one, other in pairwise(turns):
        if (one["role"], other["role"]) == ("user", "assistant"):
            return [one, other]
    return []


def _turns(value: Json) -> list[Turn] | None:
    if isinstance(value, str) or not isinstance(value, Sequence):
        return None
    turns = [_turn(each) for each in value]
    return [each for each in turns if each is not None and each["content"]]


def _turn(value: Json) -> Turn | None:
    if not isinstance(value, Mapping):
        return None
    role = ROLES.get(str(value.get("role") or value.get("from")).lower())
    content = value.get("content", value.get("value"))
    if role is None or not isinstance(content, str):
        return None
    return {"role": role, "content": content.strip()}


def _exchange(record: Record) -> list[Turn]:
    asked, answered = _first(record, ASKED), _first(record, ANSWERED)
    if not asked or not answered:
        return []
    more = _words(record, "input")
    question = f"{asked}\n\n{more}" if more and more != asked else asked
    start: list[Turn] = []
    if system := _words(record, "system"):
        start.append({"role": "system", "content": system})
    asking: Turn = {"role": "user", "content": question}
    return [*start, asking, {"role": "assistant", "content": answered}]


def _first(record: Record, names: Sequence[str]) -> str:
    return next((words for name in names if (words := _words(record, name))), "")


def _words(record: Record, name: str) -> str:
    value = record.get(name)
    return value.strip() if isinstance(value, str) else ""
