import msgspec
import pytest

from palabre.adapters.models.foreign_json import decode
from palabre.adapters.models.ollama_wire import chat_events, pull_progress
from palabre.adapters.models.openai_wire import Completion
from palabre.core.models.errors import OddAnswerError

DEEP = b'{"x":' + b"[" * 100_000


@pytest.mark.parametrize("data", [DEEP, b"<html>", b"\xff", b'{"a":1e999}', b'{"a":"\\ud83d'])
def test_what_cannot_be_read_is_an_odd_answer(data: bytes) -> None:
    with pytest.raises(OddAnswerError):
        decode(data, dict[str, float])


def test_the_wrong_shape_is_an_odd_answer() -> None:
    class Named(msgspec.Struct):
        name: str

    with pytest.raises(OddAnswerError):
        decode(b'{"name":1}', Named)


@pytest.mark.parametrize("read", [chat_events, pull_progress, Completion().read])
def test_a_line_nested_too_deep_is_an_odd_answer(read) -> None:
    with pytest.raises(OddAnswerError):
        read(DEEP)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (rb'"\ud83d\ude00"', "\U0001f600"),
        (rb'"a\ud83d"', "a\ufffd"),
        (rb'"\uDE00b"', "\ufffdb"),
        (rb'"\ud83d\u0041"', "\ufffdA"),
        (rb'"\ud83d\ud83d\ude00"', "\ufffd\U0001f600"),
        (rb'"\\ud83d"', r"\ud83d"),
        (rb'"\\\ud83d\n"', "\\\ufffd\n"),
    ],
)
def test_half_a_surrogate_pair_does_not_cost_the_answer(data: bytes, text: str) -> None:
    assert decode(data, str) == text
