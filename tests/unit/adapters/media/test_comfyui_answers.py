"""What ComfyUI answers, in the forms of its versions."""

import json

import pytest

from palabre.adapters.media.comfyui_answers import (
    Heard,
    accepted_id,
    checkpoints,
    heard,
    picture_address,
)
from palabre.core.models.errors import OddAnswerError
from palabre.core.web.model import Fetched
from palabre.kernel.errors import UpstreamError


def answered(body: object, status: int = 200) -> Fetched:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Fetched("http://comfyui", status, "application/json", "", content)


@pytest.mark.parametrize("choice", [[["a", "b"]], ["COMBO", {"options": ["a", "b"]}]])
def test_checkpoints_are_read_as_old_and_new_versions_write_them(choice: list[object]) -> None:
    info = {"CheckpointLoaderSimple": {"input": {"required": {"ckpt_name": choice}}}}
    assert checkpoints(answered(info)) == ["a", "b"]


@pytest.mark.parametrize("choice", [[], [[]], ["COMBO"], ["COMBO", {}], [5], [[5]]])
def test_a_server_without_checkpoints_has_none(choice: list[object]) -> None:
    info = {"CheckpointLoaderSimple": {"input": {"required": {"ckpt_name": choice}}}}
    assert checkpoints(answered(info)) == []
    assert checkpoints(answered({})) == []


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": "no"}, "no"),
        ({"error": {"message": "bad", "details": "very"}, "node_errors": []}, "bad: very"),
        (
            {
                "error": {"message": "Prompt outputs failed validation", "details": ""},
                "node_errors": {
                    "4": {
                        "class_type": "Loader",
                        "errors": [{"message": "Value not in list", "details": "ckpt: 'x'"}],
                    }
                },
            },
            "Loader: Value not in list: ckpt: 'x'; Prompt outputs failed validation",
        ),
        (b"<html>", "HTTP 400"),
        ({}, "HTTP 400"),
        (b"\xff", "HTTP 400"),
    ],
)
def test_a_refusal_is_told_in_words(body: object, words: str) -> None:
    with pytest.raises(UpstreamError) as caught:
        accepted_id(answered(body, 400))
    assert caught.value.data["detail"] == words


@pytest.mark.parametrize("body", [b"", b"[]", b"[" * 5000, b"\xff", b'{"prompt_id": 5}'])
def test_nonsense_is_told_as_such(body: bytes) -> None:
    with pytest.raises(OddAnswerError):
        accepted_id(answered(body))


def test_the_kept_picture_is_preferred_to_a_preview_and_its_name_is_escaped() -> None:
    images = [{"filename": "p.png", "type": "temp"}, {"filename": "a &b.png", "subfolder": "ü"}]
    entry = {"x": {"outputs": {"9": {"images": images}, "8": {"text": ["y"]}}}}
    address = picture_address(answered(entry), "x")
    assert address == "/view?filename=a+%26b.png&subfolder=%C3%BC&type=output"


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"type": "progress", "data": {"value": 1, "max": 4, "prompt_id": "x"}}, Heard(25)),
        ({"type": "progress", "data": {"value": 1, "max": 4}}, Heard(25)),
        ({"type": "progress", "data": {"value": 1, "max": 4, "prompt_id": "y"}}, Heard()),
        ({"type": "progress", "data": {"value": 9, "max": 4}}, Heard(100)),
        ({"type": "progress", "data": {"value": 1, "max": 0}}, Heard()),
        ({"type": "progress", "data": {"value": "1", "max": None}}, Heard()),
        ({"type": "executing", "data": {"node": None, "prompt_id": "x"}}, Heard(is_over=True)),
        ({"type": "executing", "data": {"node": "4", "prompt_id": "x"}}, Heard()),
        ({"type": "execution_error", "data": {"prompt_id": "x"}}, Heard(is_over=True)),
        ({"type": "status", "data": {}}, Heard()),
        (b"\0\0\0\1\0\0\0\1\xff\xd8", Heard()),
        (b"[]", Heard()),
    ],
)
def test_messages_say_what_they_say_of_ones_own_prompt(message: object, said: Heard) -> None:
    raw = message if isinstance(message, bytes) else json.dumps(message)
    assert heard(raw, "x") == said
