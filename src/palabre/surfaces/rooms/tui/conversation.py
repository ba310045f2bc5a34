"""A session fed by a connection: what the full-screen and the plain client share."""

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeAlias

from msgspec import UNSET

from palabre.kernel.clock import Clock
from palabre.surfaces.rooms.tui.connection import Event, GaveUp, Lost, Opened, Received
from palabre.surfaces.rooms.tui.hygiene import replace_surrogates
from palabre.surfaces.rooms.tui.link import Link
from palabre.surfaces.rooms.tui.session import Session
from palabre.surfaces.rooms.tui.upload import (
    MAX_FILE_BYTES,
    UploadRefusal,
    megabytes,
    path_of,
    read_upload,
)
from palabre.surfaces.rooms.tui.words import Words
from palabre.wire.rooms import (
    ClientFrame,
    SendCommand,
    SendMessage,
    SendUpload,
    ServerFrame,
    UserList,
)

STOP = "/stop"
_LOST = {
    "1001": "lost.stops",
    "1012": "lost.stops",
    "1013": "lost.slow",
    "1006": "lost.gone",
    "": "lost.gone",
}
"""Why a connection is closed, by code (RFC 6455 §7.4.1); none when the line went dead."""


class Transport(Protocol):
    """What carries the frames; `Connection` is one."""

    async def run(self) -> None:
        """Work until cancelled."""
        ...

    async def send(self, frame: ClientFrame) -> bool:
        """Send *frame*; return False when there is no connection."""
        ...

    def retry(self) -> None:
        """Try to connect at once."""
        ...


ReadFile: TypeAlias = Callable[[str], SendUpload]
"""Reads the file at a path, in a thread; raises UploadRefusal."""

Connect: TypeAlias = Callable[[Callable[[], str | None], Callable[[Event], None]], Transport]
"""Makes a transport from what tells the nick to ask for, and what takes events."""


class Conversation:
    """One user's conversation with one server.

    Attributes:
        session: What was said.
        link: How the connection stands.
        changed: Called after each change, in the event loop.
    """

    def __init__(
        self,
        session: Session,
        clock: Clock,
        words: Words,
        connect: Connect,
        read_file: ReadFile = read_upload,
    ) -> None:
        self.session = session
        self.link = Link()
        self.changed: Callable[[], None] = lambda: None
        self._clock = clock
        self._words = words
        self._transport = connect(lambda: session.wanted_nick, self.report)
        self._queue: asyncio.Queue[ClientFrame] = asyncio.Queue()
        self._read_file = read_file
        self._paths: asyncio.Queue[str] = asyncio.Queue()

    async def run(self) -> None:
        """Keep the connection and send what is to be sent, until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._transport.run())
            group.create_task(self._send_queued())
            group.create_task(self._send_files())

    def say(self, text: str) -> bool:
        """Send *text*, as a command when it begins with `/`; return False without connection.

        `/upload` is our own: the file is sent in its stead.
        """
        if not self.link.connected:
            return False
        path = path_of(text)
        if path is not None:
            self._paths.put_nowait(path)
            return True
        words = replace_surrogates(text)
        self.session.sent(words)
        self._queue.put_nowait(SendCommand(words) if words[0] == "/" else SendMessage(words))
        return True

    def retry(self) -> None:
        """Connect at once instead of waiting."""
        if not self.link.connected:
            self._transport.retry()

    def tick(self) -> None:
        """A second went by."""
        self.link = self.link.a_second_later()
        self.changed()

    def report(self, event: Event) -> None:
        """Take what the transport tells."""
        before, self.link = self.link, self.link.after(event)
        match event:
            case Opened():
                self.session.opened()
            case Received(frame):
                self.session.receive(frame, self._hour())
                self._answer_who(frame)
                for outgoing in self.session.take_outgoing():
                    self._queue.put_nowait(outgoing)
            case Lost(reason) if before.connected:
                self.session.closed(self._hour())
                self._note(_LOST.get(reason.partition(" ")[0], "lost.other"), reason=reason)
                for line in self.session.take_waiting():
                    self._note("unsent", line=line)
            case Lost() if not self.link.refused and not before.attempt and not before.connected:
                self._note("unreachable")
            case GaveUp() if self.link.refused:
                self._note("refused", reason=self.link.refused)
        self.changed()

    def _answer_who(self, frame: ServerFrame) -> None:
        """The server answers `/who` with the list alone: say it in words to who asked."""
        if not isinstance(frame, UserList) or frame.seq is not UNSET:
            return
        session = self.session
        if session.take_question():
            people, personas = ", ".join(session.people), ", ".join(session.present_personas)
            words = self._words("who", people=people, personas=personas or "—")
            session.answer(words, self._hour())

    async def _send_queued(self) -> None:
        while True:
            frame = await self._queue.get()
            if not await self._transport.send(frame):
                self._note("offline")
                self.changed()

    async def _send_files(self) -> None:
        """Send the files that were asked for, one after the other."""
        while True:
            path = await self._paths.get()
            if path:
                await self._send_file(path)
            else:
                self._note("upload.usage")
            self.changed()

    async def _send_file(self, path: str) -> None:
        try:
            frame = await asyncio.to_thread(self._read_file, path)
        except UploadRefusal as refusal:
            size, limit = megabytes(refusal.size_bytes), megabytes(MAX_FILE_BYTES)
            data = {"name": refusal.name, "detail": refusal.detail, "size": size, "limit": limit}
            self._note(f"upload.{refusal.reason}", **data)
            return
        name = str(frame.filename)
        self._note("upload.sending", name=name, size=megabytes(_size_bytes(frame)))
        self.changed()
        sent = await self._transport.send(frame)
        self._note("upload.sent" if sent else "upload.lost", name=name)

    def _note(self, code: str, **data: str) -> None:
        self.session.note(self._words(code, **data).strip(), self._hour())

    def _hour(self) -> str:
        return f"{self._clock.now().astimezone(self._clock.zone):%H:%M}"


def _size_bytes(frame: SendUpload) -> int:
    return int(frame.size) if isinstance(frame.size, int | float) else 0
