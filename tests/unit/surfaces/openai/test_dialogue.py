import base64

import pytest

from palabre.adapters.media.signature_typer import SignatureFileTyper
from palabre.surfaces.openai.dialogue import Dialogue, Message, read_dialogue
from palabre.surfaces.openai.errors import ParameterInvalidError, ParameterUnsupportedError


async def read(*messages: dict) -> Dialogue:
    told = [Message.model_validate(each) for each in messages]
    return await read_dialogue(told, "messages", SignatureFileTyper())


async def test_guides_are_gathered_and_people_keep_their_turns() -> None:
    dialogue = await read(
        {"role": "system", "content": "a"},
        {"role": "user", "content": "b"},
        {"role": "assistant", "content": None},
        {"role": "developer", "content": [{"type": "text", "text": "c"}]},
        {"role": "user", "content": [{"type": "text", "text": "d"}, {"type": "text", "text": "e"}]},
    )
    assert dialogue.guidance == "a\n\nc"
    assert [(each.role, each.text) for each in dialogue.said] == [
        ("user", "b"),
        ("assistant", ""),
        ("user", "d\ne"),
    ]


@pytest.mark.parametrize("kind", ["file", "input_file", ["text"], {"a": 1}, 5, None])
async def test_a_part_of_any_other_kind_is_refused(kind: object) -> None:
    with pytest.raises(ParameterUnsupportedError) as caught:
        await read({"role": "user", "content": [{"type": kind, "text": "x"}]})
    assert caught.value.data == {"param": "messages.0.content.type"}


async def test_a_large_picture_is_the_one_that_was_sent() -> None:
    picture = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4000
    address = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
    dialogue = await read(
        {"role": "user", "content": [{"type": "input_image", "image_url": address}]}
    )
    [shown] = dialogue.said[0].pictures
    assert shown.content == picture


@pytest.mark.parametrize("data", ["A===", "AAA", "AA=A", "A\nAA", "é"])
async def test_a_picture_that_is_no_base64_is_refused(data: str) -> None:
    part = {"type": "input_image", "image_url": f"data:image/png;base64,{data}"}
    with pytest.raises(ParameterInvalidError):
        await read({"role": "user", "content": [part]})


async def test_personas_and_guides_show_no_pictures() -> None:
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    with pytest.raises(ParameterUnsupportedError):
        await read({"role": "system", "content": [part]}, {"role": "user", "content": "x"})


@pytest.mark.parametrize("address", [5, None, {"url": 5}, {}])
async def test_a_picture_has_an_address(address: object) -> None:
    with pytest.raises(ParameterInvalidError):
        await read({"role": "user", "content": [{"type": "image_url", "image_url": address}]})
