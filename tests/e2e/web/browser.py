"""A real server with a simulated model, and pages of a real Chromium that look at it."""

import asyncio
import json
import os
import shutil
import socket
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, Page, WebSocketRoute, async_playwright

PALABRE = Path(sys.executable).with_name("palabre")
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
START_S = 30.0
DEADLINE_MS = 15_000


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def until(condition: Callable[[], Awaitable[bool]], what: Callable[[], str]) -> None:
    """Wait until *condition* holds; fail with *what()* after START_S."""
    deadline_s = time.monotonic() + START_S
    while not await condition():
        if time.monotonic() > deadline_s:
            pytest.fail(what())
        await asyncio.sleep(0.05)


async def _has_started(process: asyncio.subprocess.Process, port: int) -> bool:
    """Whether *process* listens on *port*, or is gone."""
    if process.returncode is not None:
        return True
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    await writer.wait_closed()
    return True


@asynccontextmanager
async def command(port: int, *arguments: str, log: Path, **environment: str) -> AsyncIterator[None]:
    """Run a `palabre` command that listens on *port*, until the block ends."""
    with log.open("ab") as output:
        process = await asyncio.create_subprocess_exec(
            str(PALABRE),
            *arguments,
            "--port",
            str(port),
            stdout=output,
            stderr=output,
            env=os.environ | environment,
        )
    told = log.read_text
    try:
        await until(lambda: _has_started(process, port), told)
        if process.returncode is not None:
            pytest.fail(told())
        yield
    finally:
        if process.returncode is None:
            process.terminate()
        async with asyncio.timeout(START_S):
            await process.wait()


@asynccontextmanager
async def simulated_model(script: Path) -> AsyncIterator[str]:
    """Run a scripted Ollama; yield its address."""
    port = free_port()
    async with command(
        port, "sim", "ollama", "--script", str(script), log=script.with_suffix(".log")
    ):
        yield f"http://127.0.0.1:{port}"


@dataclass
class Server:
    """A server of rooms that can be stopped and started again in the same place."""

    home: Path
    model_url: str
    port: int = field(default_factory=free_port)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    @property
    def socket_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/ws"

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Server"]:
        arguments = ("serve", "--provider", "ollama", "--data-dir", str(self.home / "data"))
        log = self.home / "serve.log"
        async with command(self.port, *arguments, log=log, OLLAMA_URL=self.model_url):
            yield self


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
        **options: bool,
    ) -> Visit:
        """Open the page and wait for its connection.

        *at* is what its clock shows; *frames* are said to it in the server's place.
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
        if at is not None:
            await visit.page.clock.set_fixed_time(at)
        await visit.page.goto(server.url)
        await visit.is_connected()
        return visit

    async def leave(self) -> None:
        for visit in self.visits:
            await visit.page.context.close()
        self.visits.clear()


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        await browser.close()
