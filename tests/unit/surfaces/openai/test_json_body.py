import pytest

from palabre.surfaces.openai.chat import REFUSED, ChatBody
from palabre.surfaces.openai.errors import ParameterInvalidError, ParameterUnsupportedError
from palabre.surfaces.openai.json_body import checked

GOOD = {"model": "batty", "messages": [{"role": "user", "content": "x"}]}


@pytest.mark.parametrize(
    ("wrong", "param", "detail"),
    [
        ({"model": 5}, "model", "string"),
        ({"messages": "x"}, "messages", "list"),
        ({"messages": [{"role": "user", "content": {"a": 1}}]}, "messages.0.content", "list"),
        ({"messages": [{"role": "user", "content": ["x"]}]}, "messages.0.content.0", "dict"),
        ({"messages": [{"content": "x"}]}, "messages.0.role", "required"),
        ({"stop": ["a"] * 5}, "stop", "at most 4"),
        ({"stop": ["a", 5]}, "stop.1", "string"),
        ({"stop": ""}, "stop", "at least 1"),
        ({"temperature": 9}, "temperature", "less than or equal to 2"),
        ({"max_tokens": 0}, "max_tokens", "greater than"),
        ({"stream_options": 5}, "stream_options", "dict"),
    ],
)
def test_a_wrong_value_is_told_by_its_place_and_its_limit(
    wrong: dict, param: str, detail: str
) -> None:
    with pytest.raises(ParameterInvalidError) as caught:
        checked(GOOD | wrong, ChatBody, REFUSED)
    assert caught.value.data["param"] == param
    assert detail in str(caught.value.data["detail"])


@pytest.mark.parametrize("value", [{}, [1], "x", 2, [{"a": [1]}]])
@pytest.mark.parametrize("name", ["tools", "n", "audio"])
def test_whatever_is_refused_may_hold_anything(name: str, value: object) -> None:
    with pytest.raises(ParameterUnsupportedError) as caught:
        checked(GOOD | {name: value}, ChatBody, REFUSED)
    assert caught.value.data == {"param": name}


def test_what_nobody_knows_is_passed_over() -> None:
    assert checked(GOOD | {"unknown": 1, "n": None}, ChatBody, REFUSED).model == "batty"
