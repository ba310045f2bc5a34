"""`palabre chat`: the terminal client."""

import asyncio
import io
import os
import re
import sys
import threading
from collections.abc import AsyncIterator, Callable
from typing import Annotated, NoReturn

import httpx2
import typer

from palabre.app.clock import SystemClock
from palabre.surfaces.rooms.tui.address import (
    DEFAULT_URL,
    AddressError,
    commands_url,
    is_loopback,
    socket_url,
)
from palabre.surfaces.rooms.tui.client import TerminalClient
from palabre.surfaces.rooms.tui.completion import Command, parse_commands
from palabre.surfaces.rooms.tui.connection import Connection, Event
from palabre.surfaces.rooms.tui.conversation import Conversation
from palabre.surfaces.rooms.tui.plain import PACE_S, PlainClient
from palabre.surfaces.rooms.tui.session import Session
from palabre.surfaces.rooms.tui.theme import ThemeName
from palabre.surfaces.rooms.tui.words import Words
from palabre.texts import Language

app = typer.Typer(name="chat", rich_markup_mode="markdown")

_NICK = re.compile(r"[a-zA-Z0-9_\-À-ÿ]{1,24}")
_COMMANDS_TIMEOUT_S = 5


@app.command()
def chat(
    url: Annotated[str, typer.Argument(help="Address of the server.")] = DEFAULT_URL,
    nick: Annotated[str | None, typer.Option(help="Your name; the server finds one.")] = None,
    lang: Annotated[Language, typer.Option(help="Language of the client.")] = "fr",
    theme: Annotated[ThemeName, typer.Option(help="Phosphor or paper.")] = "dark",
    plain: Annotated[  # noqa: FBT002 - an option of the command line
        bool, typer.Option("--plain", help="Lines only: for pipes and screen readers.")
    ] = False,
) -> None:
    """Chat in the terminal with the people and personas of a server.

    **Examples**

    `palabre chat --nick lea`

    `palabre chat https://chat.example.org --lang en --theme light`

    `echo "Bonjour @Schaeffer" | palabre chat --plain`

    Without a terminal, as in a pipe, lines are printed as if `--plain` were given.
    """
    words = Words(lang)
    conversation = _conversation(url, nick, words)
    if plain or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise typer.Exit(0 if asyncio.run(_plain(conversation, words)) else 1)

    async def load_commands() -> tuple[Command, ...]:
        return await fetch_commands(commands_url(url, lang))

    TerminalClient(conversation, words, load_commands, theme).run()


async def fetch_commands(url: str) -> tuple[Command, ...]:
    """Return the slash commands that the server lists at *url*; nothing when it does not."""
    try:
        async with httpx2.AsyncClient(
            timeout=_COMMANDS_TIMEOUT_S, trust_env=not is_loopback(url)
        ) as client:
            answer = await client.get(url)
            return parse_commands(answer.raise_for_status().content)
    except (httpx2.HTTPError, ValueError):
        return ()


def _conversation(url: str, nick: str | None, words: Words) -> Conversation:
    if nick is not None and not _NICK.fullmatch(nick):
        _refuse(words("bad_nick", nick=nick))
    try:
        socket_url(url, nick)
    except AddressError:
        _refuse(words("bad_address", url=url))

    def connect(wanted: Callable[[], str | None], report: Callable[[Event], None]) -> Connection:
        return Connection(lambda: socket_url(url, wanted()), report)

    return Conversation(Session(nick), SystemClock(), words, connect)


def _refuse(why: str) -> NoReturn:
    typer.echo(why, err=True)
    raise typer.Exit(2)


async def _plain(conversation: Conversation, words: Words) -> bool:
    def tell(remark: str) -> None:
        typer.echo(f"-- {remark}", err=True)

    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    pace_s = 0 if sys.stdin.isatty() else PACE_S
    return await PlainClient(conversation, words, _print, tell, pace_s=pace_s).run(_stdin_lines())


def _print(line: str) -> None:
    try:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    except BrokenPipeError as error:
        # Python flushes once more at its end and must not fail on the same pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise EOFError from error


async def _stdin_lines() -> AsyncIterator[str]:
    """Yield the lines of standard input.

    A thread of its own reads them: it may stay blocked when the client leaves, and files, pipes
    and terminals are all the same to it.
    """
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[str | None] = asyncio.Queue()

    def put(line: str | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        for line in sys.stdin:
            put(line)
        put(None)

    threading.Thread(target=read, daemon=True).start()
    while (line := await lines.get()) is not None:
        yield line
