"""The plain client on standard input and output."""

import asyncio
import io
import os
import sys
import threading
from collections.abc import AsyncIterator

from palabre.surfaces.rooms.tui.conversation import Conversation
from palabre.surfaces.rooms.tui.plain import PACE_S, PlainClient
from palabre.surfaces.rooms.tui.words import Words


def is_terminal() -> bool:
    """Return whether somebody types, and sees what is printed."""
    return sys.stdin.isatty() and sys.stdout.isatty()


async def run_plain(conversation: Conversation, words: Words) -> bool:
    """Talk until the input ends and all is said; return False when it ends before."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    typed = sys.stdin.isatty()
    pace_s = 0 if typed else PACE_S
    client = PlainClient(conversation, words, _print, _remark, pace_s=pace_s, insists=typed)
    return await client.run(_input_lines())


def _print(line: str) -> None:
    try:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    except BrokenPipeError as error:
        # Python flushes once more at its end and must not fail on the same pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise EOFError from error


def _remark(words: str) -> None:
    sys.stderr.write(f"-- {words}\n")
    sys.stderr.flush()


async def _input_lines() -> AsyncIterator[str]:
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
