"""The client as lines of text: for pipes, scripts and screen readers."""

import asyncio
from collections.abc import AsyncIterator, Callable

from palabre.surfaces.rooms.tui.conversation import Conversation
from palabre.surfaces.rooms.tui.entry import Entry, Kind
from palabre.surfaces.rooms.tui.link import Link, Status
from palabre.surfaces.rooms.tui.words import Words
from palabre.wire.rooms import MAX_TEXT

PACE_S = 0.7
"""Between two lines of a pipe: the server takes 15 in 10 seconds (seed 000 §5.3)."""

QUIET_S = 3.0
"""After the last line of input: so long must nobody write before the client leaves."""

_POLL_S = 0.1
_SIGNS = {Kind.SYSTEM: "--", Kind.JOIN: "->", Kind.PART: "<-"}


class PlainClient:
    """Prints what is said, sends what is read.

    Args:
        conversation: Not yet running.
        words: The client's own.
        out: Prints a line of the conversation; raises EOFError when nobody reads any more.
        tell: Prints a remark of the client, such as the state of the connection.
        pace_s: Wait between two lines; 0 for somebody who types.
        quiet_s: See QUIET_S.
        insists: Whether to try again when no server answers the very first time.
    """

    def __init__(
        self,
        conversation: Conversation,
        words: Words,
        out: Callable[[str], None],
        tell: Callable[[str], None],
        *,
        pace_s: float = PACE_S,
        quiet_s: float = QUIET_S,
        insists: bool = True,
    ) -> None:
        self._conversation = conversation
        self._words = words
        self._out = out
        self._tell = tell
        self._pace_s = pace_s
        self._quiet_s = quiet_s
        self._insists = insists
        self._printed = 0
        self._told = ""
        self._connected = asyncio.Event()
        self._gone = asyncio.Event()
        conversation.changed = self._changed
        conversation.judging.says_marks = True

    async def run(self, lines: AsyncIterator[str]) -> bool:
        """Talk until *lines* end and all is said; return False when it ends before."""
        async with asyncio.TaskGroup() as group:
            talking = group.create_task(self._conversation.run())
            speaking = group.create_task(self._speak(lines))
            gone = group.create_task(self._gone.wait())
            await asyncio.wait((speaking, gone), return_when=asyncio.FIRST_COMPLETED)
            for task in (talking, speaking, gone):
                task.cancel()
        return not self._gone.is_set()

    async def _speak(self, lines: AsyncIterator[str]) -> None:
        async for line in lines:
            text = line.strip()
            if len(text) > MAX_TEXT:
                self._tell(self._words("too_long", count=len(text), limit=MAX_TEXT))
            elif text:
                await self._connected.wait()
                self._conversation.say(text)
                await asyncio.sleep(self._pace_s)
        await self._connected.wait()
        await self._quiet()

    async def _quiet(self) -> None:
        """Return when nothing was said and nobody wrote for a while."""
        silent_s, printed = 0.0, self._printed
        while silent_s < self._quiet_s:
            await asyncio.sleep(_POLL_S)
            silent_s += _POLL_S
            if self._conversation.session.writers or self._printed != printed:
                silent_s, printed = 0.0, self._printed

    def _changed(self) -> None:
        for entry in tuple(self._conversation.session.entries):
            if entry.id > self._printed:
                self._printed = entry.id
                self._print(entry)
        self._follow_link()

    def _print(self, entry: Entry) -> None:
        if entry.kind is Kind.NOTE:
            self._tell(entry.text)
        else:
            self._out_or_leave(plain_line(entry, self._words))

    def _out_or_leave(self, line: str) -> None:
        try:
            self._out(line)
        except EOFError:
            self._gone.set()

    def _follow_link(self) -> None:
        link = self._conversation.link
        if link.connected:
            self._connected.set()
        else:
            self._connected.clear()
        ended = link.status is Status.DISCONNECTED or self._is_hopeless(link)
        if ended:
            self._gone.set()
        state = self._words("state.ended") if ended else link.spoken(self._words)
        if state != self._told:
            self._told = state
            self._tell(state)

    def _is_hopeless(self, link: Link) -> bool:
        """Return whether nobody answered the very first time, and nobody is here to wait."""
        never_inside = not self._conversation.session.connects
        return not self._insists and never_inside and link.attempt > 0 and not link.refused


def plain_line(entry: Entry, words: Words) -> str:
    """Return *entry* as text; further lines of it are indented."""
    if entry.kind is Kind.DIVIDER:
        label = entry.text if entry.text.startswith("#") else words(f"divider.{entry.text}")
        return f"--- {label} ---"
    said = entry.kind in (Kind.MESSAGE, Kind.MEDIA, Kind.CUT)
    who = f"<{entry.nick}>" if said else _SIGNS.get(entry.kind, "--")
    return f"{entry.hour} {who} " + entry.text.replace("\n", "\n      ")
