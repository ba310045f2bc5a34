import asyncio
import base64

import pytest

from palabre.core.media.base64_text import PIECE_BYTES, to_base64


@pytest.mark.parametrize("size", [0, 1, 2, 3, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES * 2 + 1])
async def test_the_pieces_together_are_the_base64_of_the_whole(size: int) -> None:
    content = bytes(range(256)) * (size // 256 + 1)
    text = await to_base64(content[:size])
    assert str(text) == base64.b64encode(content[:size]).decode()
    assert text.size_bytes == len(str(text))


async def test_others_have_their_turn_between_two_pieces() -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as tasks:
        counting = tasks.create_task(count())
        await to_base64(bytes(PIECE_BYTES * 20))
        counting.cancel()
    assert turns >= 20
