"""Pages of a real Chromium that look at a real server."""

import asyncio
import json
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, Page, WebSocketRoute, async_playwright, expect
from tests.support.lasting_server import DEADLINE_S, Server

T = TypeVar("T")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DEADLINE_MS = 30_000
expect.set_options(timeout=DEADLINE_MS)  # the usual five seconds are short on a busy machine


async def until(condition: Callable[[], Awaitable[bool]], what: Callable[[], str]) -> None:
    """Wait until *condition* holds; fail with *what()* after DEADLINE_S."""
    deadline_s = time.monotonic() + DEADLINE_S
    while not await condition():
        if time.monotonic() > deadline_s:
            pytest.fail(what())
        await asyncio.sleep(0.05)


@asynccontextmanager
async def beside(place: AbstractContextManager[T]) -> AsyncIterator[T]:
    """Start and stop *place* in a thread: what the page is told goes on meanwhile."""
    value = await asyncio.to_thread(place.__enter__)
    try:
        yield value
    finally:
        await asyncio.to_thread(place.__exit__, None, None, None)


@dataclass
class Visit:
    """One page, and what it did that it should not have done."""

    page: Page
    host: str
    complaints: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)
    frames: list[str] = field(default_factory=list)

    def watch(self) -> None:
        page = self.page
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda line: self._hear(line.type, line.text))
        page.on("request", lambda request: self._look(request.url))
        page.on("websocket", self._listen)

    def _hear(self, kind: str, words: str) -> None:
        if kind in {"error", "warning"}:
            self.complaints.append(words)

    def _look(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"data", "blob"} and parts.netloc != self.host:
            self.strangers.append(url)

    def _listen(self, socket) -> None:
        self._look(socket.url)
        socket.on("framesent", lambda frame: self.frames.append(str(frame)))

    # What a user does and sees ---------------------------------------------------------------

    @property
    def field(self):
        return self.page.locator("textarea[name=text]")

    async def say(self, text: str) -> None:
        await self.field.fill(text)
        await self.field.press("Enter")

    async def shows(self, text: str, selector: str = ".lines") -> None:
        found = self.page.locator(selector).filter(has_text=text)
        await found.first.wait_for(timeout=DEADLINE_MS)

    async def is_connected(self) -> None:
        await self.page.locator("[data-state=connected]").wait_for(timeout=DEADLINE_MS)

    async def overflow_px(self) -> int:
        """How far the page is wider than its window."""
        return await self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )

    def said(self, nick: str, text: str):
        """The finished messages of *nick* that hold *text*."""
        by = self.page.locator(f"[data-nick='{nick}']")
        return self.page.locator(".lines .line.message", has=by).filter(has_text=text)


def _say_all(socket: WebSocketRoute, frames: Sequence[Mapping[str, object]]) -> None:
    for frame in frames:
        socket.send(json.dumps(frame))


@dataclass
class Stage:
    """Speaks to a page in the server's place, and hears what it says."""

    heard: list[dict[str, object]] = field(default_factory=list)
    _socket: WebSocketRoute | None = None

    def enter(self, socket: WebSocketRoute) -> None:
        self._socket = socket
        socket.on_message(lambda raw: self.heard.append(json.loads(raw)))
        self.say({"type": "system", "text": "***\n***  Ton nick: ada\n***"})

    def say(self, *frames: Mapping[str, object]) -> None:
        if self._socket is not None:
            _say_all(self._socket, frames)


@dataclass
class Visitors:
    """Opens pages on a server, each with a browser profile of its own."""

    browser: Browser
    visits: list[Visit] = field(default_factory=list)

    async def open(
        self,
        server: Server,
        nick: str | None = None,
        *,
        size: tuple[int, int] = (1280, 800),
        theme: str = "dark",
        locale: str = "fr-FR",
        at: str | None = None,
        frames: Sequence[Mapping[str, object]] | None = None,
        stage: Stage | None = None,
        script: str | None = None,
        path: str = "",
        **options: bool,
    ) -> Visit:
        """Open the page and wait for its connection.

        *at* is what its clock shows; *frames* are said to it in the server's place, or *stage*
        talks to it; *script* runs in it before its own.
        """
        context = await self.browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme=theme,
            locale=locale,
            reduced_motion="reduce",
            **options,
        )
        if nick is not None:
            await context.add_init_script(
                f"sessionStorage.getItem('kxkm-nick') ?? sessionStorage.setItem('kxkm-nick', '{nick}')"
            )
        visit = Visit(await context.new_page(), f"127.0.0.1:{server.port}")
        visit.watch()
        self.visits.append(visit)
        if frames is not None:
            await visit.page.route_web_socket("**/ws?*", lambda socket: _say_all(socket, frames))
        if stage is not None:
            await visit.page.route_web_socket("**/ws?*", stage.enter)
        if script is not None:
            await context.add_init_script(script)
        if at is not None:
            await visit.page.clock.set_fixed_time(at)
        await visit.page.goto(server.url + path)
        await visit.is_connected()
        return visit

    async def leave(self) -> None:
        for visit in self.visits:
            await visit.page.context.close()
        self.visits.clear()


@asynccontextmanager
async def chromium(*flags: str) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS, *flags])
        yield browser
        await browser.close()
