import pytest

from palabre.surfaces.openai.chat import REFUSED, ChatBody
from palabre.surfaces.openai.errors import ParameterInvalidError, ParameterUnsupportedError
from palabre.surfaces.openai.json_body import checked
from palabre.texts import say

GOOD = {"model": "batty", "messages": [{"role": "user", "content": "x"}]}


@pytest.mark.parametrize(
    ("wrong", "param", "detail"),
    [
        ({"model": 5}, "model", "a text"),
        ({"model": "x" * 201}, "model", "at most 200"),
        ({"messages": "x"}, "messages", "a list"),
        ({"messages": [{"role": "user", "content": {"a": 1}}]}, "messages.0.content", "list"),
        ({"messages": [{"role": "user", "content": ["x"]}]}, "messages.0.content.0", "object"),
        ({"messages": [{"role": "user", "content": [{}] * 65}]}, "messages.0.content", "most 64"),
        ({"messages": [{"content": "x"}]}, "messages.0.role", "missing"),
        ({"stop": ["a"] * 5}, "stop", "at most 4"),
        ({"stop": ["a", 5]}, "stop.1", "a text"),
        ({"stop": ""}, "stop", "at least 1"),
        ({"temperature": 9}, "temperature", "at most 2"),
        ({"temperature": "1"}, "temperature", "a number"),
        ({"max_tokens": 0}, "max_tokens", "at least 1"),
        ({"max_tokens": True}, "max_tokens", "a whole number"),
        ({"max_tokens": 1.5}, "max_tokens", "a whole number"),
        ({"stream": "yes"}, "stream", "true or false"),
        ({"stream_options": 5}, "stream_options", "an object"),
    ],
)
def test_a_wrong_value_is_told_by_its_place_and_its_limit(
    wrong: dict, param: str, detail: str
) -> None:
    with pytest.raises(ParameterInvalidError) as caught:
        checked(GOOD | wrong, ChatBody, REFUSED)
    assert caught.value.data["param"] == param
    assert detail in say(caught.value.why, "en")


@pytest.mark.parametrize("value", [{}, [1], "x", 2, [{"a": [1]}]])
@pytest.mark.parametrize("name", ["tools", "n", "audio"])
def test_whatever_is_refused_may_hold_anything(name: str, value: object) -> None:
    with pytest.raises(ParameterUnsupportedError) as caught:
        checked(GOOD | {name: value}, ChatBody, REFUSED)
    assert caught.value.data == {"param": name}


def test_what_nobody_knows_is_passed_over() -> None:
    assert checked(GOOD | {"unknown": 1, "n": None}, ChatBody, REFUSED).model == "batty"


def test_whole_numbers_may_be_written_as_json_has_them() -> None:
    asked = checked(GOOD | {"max_tokens": 5.0, "temperature": 1}, ChatBody, REFUSED)
    assert (asked.max_tokens, asked.temperature) == (5, 1.0)
