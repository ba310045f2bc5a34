"""Who is let in, and until when."""

import pytest
from starlette.requests import HTTPConnection

from palabre.core.auth.errors import SessionRequiredError
from palabre.core.auth.model import Role
from palabre.core.auth.service import AuthRules, AuthService, Login
from palabre.core.auth.watch import SessionWatch
from palabre.core.chat.visitors import Visitor
from palabre.surfaces.rooms.door import Door, Visit
from palabre.testing.auth import (
    CountingSecrets,
    MemoryAccountStore,
    MemorySessionStore,
    PlainHasher,
)
from palabre.testing.clock import FrozenClock


class House:
    def __init__(self, *, demands_session: bool) -> None:
        self.clock, self.sessions = FrozenClock(), MemorySessionStore()
        self.auth = AuthService(
            accounts=MemoryAccountStore(),
            sessions=self.sessions,
            hasher=PlainHasher(),
            secrets=CountingSecrets(),
            clock=self.clock,
            rules=AuthRules(),
        )
        self.watch = SessionWatch(self.sessions, self.clock)
        self.door = Door(self.auth, self.watch, demands_session)

    async def visit(self, session_id: str = "") -> Visit:
        headers = [(b"x-session-id", session_id.encode())] if session_id else []
        connection = HTTPConnection({"type": "websocket", "headers": headers})
        return await self.door.admit(connection, "wished")

    async def log_in(self) -> str:
        return (await self.auth.log_in(Login("lea"), "")).session_id


async def test_open_rooms_let_everybody_in_and_know_who_has_a_session() -> None:
    house = House(demands_session=False)
    for session_id in ("", "ab" * 32):
        visit = await house.visit(session_id)
        assert visit.visitor == Visitor("wished")
        assert await visit.is_current()
    known = await house.visit(await house.log_in())
    assert known.visitor == Visitor("wished", "lea")
    assert not known.visitor.is_known


async def test_others_let_nobody_in_without_one() -> None:
    house = House(demands_session=True)
    for session_id in ("", "ab" * 32):
        with pytest.raises(SessionRequiredError):
            await house.visit(session_id)
    visit = await house.visit(await house.log_in())
    assert visit.visitor == Visitor(None, "lea", Role.VIEWER)


async def test_a_visit_ends_with_its_session() -> None:
    house = House(demands_session=True)
    session_id = await house.log_in()
    visit, ended = await house.visit(session_id), list[str]()
    with visit.lasting(lambda: ended.append("ended")):
        await house.watch.look()
        assert await visit.is_current()
        await house.auth.log_out(session_id)
        assert not await visit.is_current()
        await house.watch.look()
    assert ended == ["ended"]


async def test_a_visit_of_open_rooms_does_not_end() -> None:
    house = House(demands_session=False)
    session_id = await house.log_in()
    visit, ended = await house.visit(session_id), list[str]()
    with visit.lasting(lambda: ended.append("ended")):
        await house.auth.log_out(session_id)
        await house.watch.look()
        assert await visit.is_current()
    assert ended == []
