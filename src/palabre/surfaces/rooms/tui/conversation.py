"""A session fed by a connection: what the full-screen and the plain client share."""

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeAlias

from msgspec import UNSET

from palabre.kernel.clock import Clock
from palabre.surfaces.rooms.tui import phrases
from palabre.surfaces.rooms.tui.address import DEFAULT_URL
from palabre.surfaces.rooms.tui.connection import Event, GaveUp, Lost, Opened, Received
from palabre.surfaces.rooms.tui.hygiene import replace_surrogates
from palabre.surfaces.rooms.tui.judging import Judging, TellVerdict
from palabre.surfaces.rooms.tui.link import Link
from palabre.surfaces.rooms.tui.media import SaveRefusal, SaveWish, save_wish, write_medium
from palabre.surfaces.rooms.tui.session import Session
from palabre.surfaces.rooms.tui.upload import (
    MAX_FILE_BYTES,
    UploadRefusal,
    kilobytes,
    megabytes,
    path_of,
    read_upload,
)
from palabre.surfaces.rooms.tui.verdicts import VerdictWish, verdict_wish
from palabre.surfaces.rooms.tui.words import Words
from palabre.wire.rooms import (
    AskUploadTicket,
    ClientFrame,
    SendCommand,
    SendMessage,
    SendUpload,
    ServerFrame,
    System,
    UploadTicket,
    UserList,
)

STOP = "/stop"
_LOST = {
    "1001": "lost.stops",
    "1012": "lost.stops",
    "1013": "lost.slow",
    "1006": "lost.gone",
    "4401": "lost.session",
    "4409": "lost.name",
    "": "lost.gone",
}
"""Why a connection is closed, by code (RFC 6455 §7.4.1); none when the line went dead."""


_REFUSED = {
    "HTTP 401": "login.needed",
    "LOGIN invalid_credentials": "login.wrong",
    "LOGIN validation_error": "login.wrong",
    "LOGIN rate_limited": "login.too_often",
}
"""What to do about a refusal, where that is known."""


def refusal_code(reason: str, *, was_inside: bool = False) -> str:
    """Return the text about the refusal *reason* of a `Lost`, for who was let in before or not."""
    code = _REFUSED.get(reason, "refused")
    return "login.changed" if was_inside and code == "login.wrong" else code


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
        judging: Tells the server what the reader thinks of answers.
    """

    def __init__(
        self,
        session: Session,
        clock: Clock,
        words: Words,
        connect: Connect,
        read_file: ReadFile = read_upload,
        tell_verdict: TellVerdict | None = None,
        *,
        url: str = DEFAULT_URL,
    ) -> None:
        self.session = session
        self.link = Link()
        self.changed: Callable[[], None] = lambda: None
        self._clock = clock
        self._words = words
        self._url = url
        self._transport = connect(lambda: session.wanted_nick, self.report)
        self._queue: asyncio.Queue[ClientFrame] = asyncio.Queue()
        self._read_file = read_file
        self._files: asyncio.Queue[str | SaveWish] = asyncio.Queue()
        self.judging = Judging(session, tell_verdict, self._ask_ticket, self._note)

    async def run(self) -> None:
        """Keep the connection and send what is to be sent, until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._transport.run())
            group.create_task(self._send_queued())
            group.create_task(self._do_files())
            group.create_task(self.judging.run(self.changed))

    def say(self, text: str) -> bool:
        """Send *text*, as a command when it begins with `/`; return False without connection.

        `/upload`, `/save` and `/thumb` are our own.
        """
        saving, path, verdict = save_wish(text), path_of(text), verdict_wish(text)
        if saving is not None:
            self._files.put_nowait(saving)
            return True
        if verdict is not None:
            self.judge(verdict)
            return True
        if not self.link.connected:
            return False
        if path is not None:
            self._files.put_nowait(path)
            return True
        words = replace_surrogates(text)
        self.session.sent(words)
        self._queue.put_nowait(SendCommand(words) if words[0] == "/" else SendMessage(words))
        return True

    def judge(self, wish: VerdictWish) -> None:
        """Say what the reader thinks of an answer; the server is told soon."""
        self.judging.judge(wish)
        self.changed()

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
                self._receive(frame)
            case Lost(reason) if before.connected:
                self.session.closed(self._hour())
                self.judging.drop_ticket()
                self._note(_LOST.get(reason.partition(" ")[0], "lost.other"), reason=reason)
                for line in self.session.take_waiting():
                    self._note("unsent", line=line)
            case Lost() if not self.link.refused and not before.attempt and not before.connected:
                self._note("unreachable", url=self._url)
            case GaveUp() if self.link.refused:
                code = refusal_code(self.link.refused, was_inside=self.session.connects > 0)
                self._note(code, reason=self.link.refused)
        self.changed()

    def _receive(self, frame: ServerFrame) -> None:
        if isinstance(frame, UploadTicket):
            self.judging.take_ticket(frame.ticket)
        if isinstance(frame, System) and phrases.ends_session(frame.text):
            return  # the close that follows is told in our own words
        self.session.receive(frame, self._hour())
        self._answer_who(frame)
        for outgoing in self.session.take_outgoing():
            self._queue.put_nowait(outgoing)

    def _answer_who(self, frame: ServerFrame) -> None:
        """The server answers `/who` with the list alone: say it in words to who asked."""
        if not isinstance(frame, UserList) or frame.seq is not UNSET:
            return
        session = self.session
        if session.take_question():
            people, personas = ", ".join(session.people), ", ".join(session.present_personas)
            words = self._words("who", people=people, personas=personas or "—")
            session.answer(words, self._hour())

    def _ask_ticket(self) -> None:
        self._queue.put_nowait(AskUploadTicket())

    async def _send_queued(self) -> None:
        while True:
            frame = await self._queue.get()
            if not await self._transport.send(frame):
                self._note("offline")
                self.changed()

    async def _do_files(self) -> None:
        """Send and save the files that were asked for, one after the other."""
        while True:
            match await self._files.get():
                case SaveWish(number, path):
                    await self._save(number, path)
                case "":
                    self._note("upload.usage")
                case str(path):
                    await self._send_file(path)
            self.changed()

    async def _save(self, number: int | None, path: str) -> None:
        medium = next((each for each in self.session.media if each.number == number), None)
        if medium is None:
            self._note("save.usage" if number is None else "save.gone", number=str(number))
            return
        try:
            file = await asyncio.to_thread(write_medium, medium, path)
        except SaveRefusal as refusal:
            self._note(f"save.{refusal.reason}", name=refusal.name, detail=refusal.detail)
        else:
            self._note("save.done", name=str(file))

    async def _send_file(self, path: str) -> None:
        try:
            frame = await asyncio.to_thread(self._read_file, path)
        except UploadRefusal as refusal:
            size, limit = megabytes(refusal.size_bytes), megabytes(MAX_FILE_BYTES)
            data = {"name": refusal.name, "detail": refusal.detail, "size": size, "limit": limit}
            self._note(f"upload.{refusal.reason}", **data)
            return
        name = str(frame.filename)
        self._note("upload.sending", name=name, size=kilobytes(_size_bytes(frame)))
        self.changed()
        sent = await self._transport.send(frame)
        self._note("upload.sent" if sent else "upload.lost", name=name)

    def _note(self, code: str, **data: str) -> None:
        self.session.note(self._words(code, **data).strip(), self._hour())

    def _hour(self) -> str:
        return f"{self._clock.now().astimezone(self._clock.zone):%H:%M}"


def _size_bytes(frame: SendUpload) -> int:
    return int(frame.size) if isinstance(frame.size, int | float) else 0
