"""What editors change through other processes is seen."""

import asyncio
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from tests.support.editorial import ANNE, editorial_room

from palabre.core.editorial.following import follow
from palabre.core.editorial.model import PersonaEdit
from palabre.core.editorial.traits import Traits
from palabre.kernel.errors import SetupError
from palabre.kernel.ids import PersonaId

ELSEWHERE = PersonaEdit(
    persona_id=PersonaId("batty"), summary="a", made_at=datetime(2026, 3, 20, tzinfo=UTC)
)


async def test_a_change_made_elsewhere_is_read_once_and_ones_own_not_again() -> None:
    room = editorial_room()
    await room.library.load()
    assert not await room.library.is_outdated()
    await room.desk.update(ANNE, "isa", Traits(summary="x"))
    assert not await room.library.is_outdated()
    await room.stores.edits.put_edit(ELSEWHERE)
    assert await room.library.is_outdated()
    await room.library.load()
    assert not await room.library.is_outdated()


@pytest.mark.parametrize("failure", [SetupError(), ValueError("nobody foresaw it")])
async def test_it_goes_on_after_a_failure(failure: Exception) -> None:
    room, reloads = editorial_room(), 0
    seen = asyncio.Event()

    async def reload() -> None:
        nonlocal reloads
        reloads += 1
        if reloads < 3:
            raise failure
        await room.library.load()
        seen.set()

    await room.stores.edits.put_edit(ELSEWHERE)
    following = asyncio.get_running_loop().create_task(follow(room.library, reload, every_s=0.001))
    async with asyncio.timeout(5):
        await seen.wait()
    await asyncio.sleep(0.02)
    assert reloads == 3
    following.cancel()
    with suppress(asyncio.CancelledError):
        await following
