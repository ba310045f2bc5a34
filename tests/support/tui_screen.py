"""The full-screen terminal client, running without a terminal."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.support.tui import ScriptedTransport, terminal_client
from tests.support.turns import DEADLINE_S
from textual.pilot import Pilot
from textual.widgets import Static

from palabre.surfaces.rooms.tui.client import TerminalClient
from palabre.surfaces.rooms.tui.log import MessageLog
from palabre.surfaces.rooms.tui.prompt import Prompt
from palabre.surfaces.rooms.tui.screen import REDRAW_S


class Screen:
    """A running client as a test sees it."""

    def __init__(
        self, app: TerminalClient, transport: ScriptedTransport, pilot: Pilot[None]
    ) -> None:
        self.app = app
        self.transport = transport
        self.pilot = pilot

    @property
    def prompt(self) -> Prompt:
        return self.app.chat.query_one(Prompt)

    @property
    def log(self) -> MessageLog:
        return self.app.chat.query_one(MessageLog)

    def shown(self, name: str) -> str:
        return str(self.app.chat.query_one(f"#{name}", Static).content)

    def visible(self) -> str:
        return "\n".join(self.log.render_line(y).text.rstrip() for y in range(self.log.size.height))

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.settle()

    async def write(self, text: str) -> None:
        self.prompt.text = text
        self.prompt.move_cursor(self.prompt.document.end)
        await self.settle()

    async def settle(self) -> None:
        """Wait until what changed is drawn, however long this machine takes for that."""
        await self.pilot.pause(REDRAW_S * 2)
        async with asyncio.timeout(DEADLINE_S):
            while self.app.chat._redraw_due:
                await self.pilot.pause(REDRAW_S)
            drawn = asyncio.Event()
            if self.app.screen.call_after_refresh(drawn.set):
                await drawn.wait()
        await self.pilot.pause(0)


@asynccontextmanager
async def running(
    size: tuple[int, int] = (100, 30), *, greeted: bool = True
) -> AsyncIterator[Screen]:
    app, transport = terminal_client()
    async with app.run_test(size=size) as pilot:
        screen = Screen(app, transport, pilot)
        if greeted:
            transport.greet("lea", "marc")
        await screen.settle()
        yield screen
