import asyncio
from datetime import timedelta

import pytest

from palabre.core.auth.model import Role, Session
from palabre.core.auth.watch import EVERY_S, SessionWatch
from palabre.kernel.errors import StorageError
from palabre.testing.auth import MemorySessionStore
from palabre.testing.clock import FrozenClock

NOW = FrozenClock().now()


def session(fingerprint: str) -> Session:
    return Session(fingerprint, "lea", Role.EDITOR, NOW, NOW + timedelta(hours=1))


class Place:
    def __init__(self) -> None:
        self.clock, self.sessions = FrozenClock(), MemorySessionStore()
        self.watch = SessionWatch(self.sessions, self.clock, every_s=0.001)
        self.ended: list[str] = []

    async def add(self, fingerprint: str) -> Session:
        await self.sessions.add(session(fingerprint))
        return session(fingerprint)


async def test_a_session_that_is_taken_back_or_runs_out_is_told_once() -> None:
    place = Place()
    first, second = await place.add("1"), await place.add("2")
    with (
        place.watch.watching(first, lambda: place.ended.append("1")),
        place.watch.watching(first, lambda: place.ended.append("1 again")),
        place.watch.watching(second, lambda: place.ended.append("2")),
    ):
        await place.watch.look()
        assert place.ended == []
        await place.sessions.remove("1")
        for _ in range(2):
            await place.watch.look()
        assert place.ended == ["1", "1 again"]
        place.clock.advance(3600)
        for _ in range(2):
            await place.watch.look()
    assert place.ended == ["1", "1 again", "2"]


async def test_who_has_left_is_not_told() -> None:
    place = Place()
    with place.watch.watching(await place.add("1"), lambda: place.ended.append("1")):
        pass
    await place.sessions.remove("1")
    await place.watch.look()
    assert place.ended == []


class BrokenStore(MemorySessionStore):
    broken = 3
    asked = 0

    async def still(self, *arguments: object) -> frozenset[str]:
        self.asked += 1
        if self.asked <= self.broken:
            raise StorageError(detail="away")
        return await super().still(*arguments)  # type: ignore[arg-type]


async def test_while_the_store_is_away_nobody_is_sent_out_and_nobody_may_speak() -> None:
    place = Place()
    place.sessions = BrokenStore()
    place.watch = SessionWatch(place.sessions, place.clock, every_s=0.001)
    gone = asyncio.Event()
    with pytest.raises(StorageError):
        await place.watch.is_current(session("1"))
    with place.watch.watching(session("1"), gone.set):
        running = asyncio.create_task(place.watch.run())
        async with asyncio.timeout(10):
            await gone.wait()
        running.cancel()
    assert place.sessions.asked > BrokenStore.broken


async def test_nothing_is_asked_where_nobody_is_watched() -> None:
    place = Place()
    place.sessions = BrokenStore()
    await SessionWatch(place.sessions, place.clock).look()
    assert place.sessions.asked == 0


async def test_a_session_is_current_until_it_ends() -> None:
    place = Place()
    lea = await place.add("1")
    assert await place.watch.is_current(lea)
    place.clock.advance(3600)
    assert not await place.watch.is_current(lea)
    assert not await place.watch.is_current(session("2"))


def test_who_is_no_longer_in_is_noticed_as_soon_as_the_documentation_says() -> None:
    assert EVERY_S <= 2
