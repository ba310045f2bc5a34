"""The terminal's connection to rooms that demand a session."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from tests.support.rooms import House, house

from palabre.adapters.secrets.argon2_passwords import Argon2PasswordHasher
from palabre.app.accounts import build_accounts
from palabre.core.audit.model import THE_MACHINE
from palabre.core.auth.model import Role
from palabre.surfaces.rooms.tui.address import login_url, socket_url
from palabre.surfaces.rooms.tui.connection import (
    Connection,
    Event,
    GaveUp,
    Lost,
    Opened,
    Received,
)
from palabre.surfaces.rooms.tui.login import Login
from palabre.wire.rooms import SendMessage, System

SECRET = "dix lettres"  # noqa: S105


class Terminal:
    def __init__(self, place: House, login: Login | None) -> None:
        self.events: list[Event] = []
        address = socket_url(place.url, None, "en")
        self.connection = Connection(
            lambda: address, self.events.append, lambda _delay_s: asyncio.sleep(0.01), login
        )

    async def until(self, condition: Callable[[Event], bool], count: int = 1) -> None:
        async with asyncio.timeout(20):
            while sum(map(condition, self.events)) < count:  # noqa: ASYNC110 - a real socket
                await asyncio.sleep(0.01)

    def said(self) -> list[str]:
        frames = [event.frame for event in self.events if isinstance(event, Received)]
        return [frame.text for frame in frames if isinstance(frame, System)]


@asynccontextmanager
async def terminal(password: str | None = SECRET) -> AsyncIterator[tuple[House, Terminal]]:
    async with house(auth={"rooms": "session"}) as place, asyncio.TaskGroup() as tasks:
        await place.app.accounts.add("lea", Role.EDITOR, SECRET, by=THE_MACHINE)
        url = login_url(place.url)
        there = Terminal(place, None if password is None else Login(url, "lea", password))
        running = tasks.create_task(there.connection.run())
        yield place, there
        running.cancel()


async def test_who_logs_in_comes_in_by_the_username() -> None:
    async with terminal() as (_, lea):
        await lea.until(lambda event: isinstance(event, Received))
        assert "nick: lea" in lea.said()[0]
        assert await lea.connection.send(SendMessage("bonjour"))


async def test_when_the_session_ends_another_is_begun() -> None:
    async with terminal() as (place, lea):
        await lea.until(lambda event: isinstance(event, Opened))
        assert await place.app.accounts.end_sessions_of("lea", by=THE_MACHINE) == 1
        await lea.until(lambda event: event == Lost("4401 session_ended"))
        assert lea.said()[-1].startswith("Your session has ended, closed by an administrator or")
        await lea.until(lambda event: isinstance(event, Opened), 2)


async def test_after_another_password_the_old_one_is_refused_and_not_tried_again() -> None:
    async with terminal() as (place, lea):
        await lea.until(lambda event: isinstance(event, Opened))
        await place.app.accounts.change("lea", password="another secret", by=THE_MACHINE)  # noqa: S106
        await lea.until(lambda event: isinstance(event, GaveUp))
        refused = [Lost("LOGIN invalid_credentials"), GaveUp()]
        assert lea.events[-2:] == refused
        for given_up in range(2, 8):  # more often than the server takes in a minute
            lea.connection.retry()
            await lea.until(lambda event: isinstance(event, GaveUp), given_up)
        assert lea.events[-2:] == refused
        await place.app.accounts.change("lea", password=SECRET, by=THE_MACHINE)
        assert await Login(login_url(place.url), "lea", SECRET).headers()


async def test_without_a_login_the_server_refuses_and_is_not_asked_again() -> None:
    async with terminal(None) as (_, nobody):
        await nobody.until(lambda event: isinstance(event, GaveUp))
        assert nobody.events == [Lost("HTTP 401"), GaveUp()]


async def nobody() -> tuple[str, ...]:
    return ()


async def test_by_a_personas_name_nobody_comes_in_and_it_is_not_tried_again() -> None:
    async with house(auth={"rooms": "session"}) as place, asyncio.TaskGroup() as tasks:
        accounts = build_accounts(
            place.app.database, Argon2PasswordHasher(), place.app.ports.clock, nobody
        )
        await accounts.add("Batty", Role.EDITOR, SECRET, by=THE_MACHINE)
        batty = Terminal(place, Login(login_url(place.url), "Batty", SECRET))
        running = tasks.create_task(batty.connection.run())
        await batty.until(lambda event: isinstance(event, GaveUp))
        assert batty.events == [Opened(), Lost("4409 name_of_persona"), GaveUp()]
        running.cancel()
