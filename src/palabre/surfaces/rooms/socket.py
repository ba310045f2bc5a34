"""Serve one client of the rooms: frames in, in order; events out, whenever they come."""

import asyncio
import logging
from asyncio import Task, TaskGroup
from dataclasses import dataclass
from typing import Protocol, assert_never

from palabre.core.chat.members import Member
from palabre.core.chat.model import NoticeGiven, UploadAllowed
from palabre.core.chat.ports import Sink
from palabre.core.chat.service import ChatService
from palabre.core.chat.shared_files import MAX_FILE_BYTES
from palabre.core.chat.visitors import Visitor
from palabre.core.telemetry.ports import Telemetry
from palabre.core.telemetry.timing import timed
from palabre.kernel.clock import Clock
from palabre.kernel.errors import PalabreError, UserError
from palabre.kernel.ids import Ids
from palabre.kernel.sliding_window import SlidingWindow
from palabre.kernel.text import Text, text
from palabre.surfaces.rooms.door import NAME_REFUSED, SESSION_CLOSED, Visit
from palabre.surfaces.rooms.frame_budget import FrameBudget, held_bytes
from palabre.surfaces.rooms.sent_file import from_frame
from palabre.surfaces.rooms.tickets import Tickets
from palabre.wire import rooms as wire

MAX_WAITING_FRAMES = 32
"""Frames of one client that may wait for the answers to its earlier ones."""

MAX_WAITING_BYTES = 32 * 1024 * 1024
"""Bytes of one client's frames that may wait; files would fill the memory else."""

_log = logging.getLogger(__name__)


class Line(Sink, Protocol):
    """A sink that can be closed."""

    def close(self, code: int, reason: str) -> None:
        """Close the line, saying why; cut it if the client does not take that."""
        ...


class Receiver(Protocol):
    """Where a client's frames come from."""

    async def receive(self) -> str | bytes | None:
        """Return the next frame, or None when the client is gone."""
        ...


@dataclass(frozen=True, slots=True)
class SocketRules:
    """What one client may send: frames in a window, in seconds."""

    rate_limit_messages: int = 15
    rate_limit_window_s: float = 10.0


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A frame, its size as it came, and what it takes of the memory that all clients share."""

    frame: wire.ClientFrame
    size_bytes: int
    held_bytes: int


class RoomSocket:
    """One client, from its coming to its leaving.

    Its frames are done one after the other, each with the answers it brings about
    (seed 000 §5.5); only urgent commands overtake. What it sent before it left is still done.
    """

    def __init__(
        self,
        chat: ChatService,
        sink: Line,
        *,
        telemetry: Telemetry,
        clock: Clock,
        ids: Ids,
        rules: SocketRules,
        tickets: Tickets,
        budget: FrameBudget,
    ) -> None:
        self._tickets = tickets
        self._budget = budget
        self._held_bytes = 0
        self._chat = chat
        self._sink = sink
        self._telemetry = telemetry
        self._clock = clock
        self._ids = ids
        self._window = SlidingWindow(rules.rate_limit_messages, rules.rate_limit_window_s)
        self._waiting: list[_Waiting] = []
        self._waiting_bytes = 0
        self._worker: Task[None] | None = None
        self._answers: Task[object] | None = None
        self._is_doing = False
        self._urgent: list[wire.ClientFrame] = []
        self._gone = False
        self._visit = Visit(Visitor())
        self._has_ended = False

    async def serve(self, receiver: Receiver, visit: Visit) -> None:
        """Talk with the client until it leaves, or its session ends."""
        try:
            member = await self._chat.enter(self._sink, visit.visitor)
        except UserError as refused:
            self._sink.close(NAME_REFUSED, refused.code)
            return
        self._visit = visit
        try:
            with visit.lasting(lambda: self._end_session(member)):
                await self._take_all(member, receiver)
        finally:
            self._give_back(self._held_bytes)
            self._tickets.void(member)
            self._chat.leave(member)

    async def _take_all(self, member: Member, receiver: Receiver) -> None:
        async with asyncio.TaskGroup() as tasks:
            while (raw := await receiver.receive()) is not None:
                await self._take_in(member, raw, tasks)
                del raw  # it may be 16 MB, and the next one may never come
            self._gone = True
            if self._answers is not None:
                self._answers.cancel()

    def _end_session(self, member: Member) -> None:
        if self._has_ended:
            return
        self._has_ended = True
        self._telemetry.count("sockets_ended", label="session_ended")
        self._tell(member, text("room.session_ended"))
        self._sink.close(SESSION_CLOSED, "session_ended")

    async def _take_in(self, member: Member, raw: str | bytes, tasks: TaskGroup) -> None:
        """Check one frame, in the seed's order (§5.6), and put it in line."""
        if _is_oversize(raw):
            self._telemetry.count("frames_dropped", label="oversize")
            return
        if not self._window.admit(self._clock.monotonic()):
            await self._beyond_limit(member, raw)
            return
        frame = self._decode(member, raw)
        if frame is None:
            return
        if self._is_urgent(frame):
            await self._handle_urgent(member, frame)
        elif self._put_in_line(member, frame, len(raw)) and self._worker is None:
            self._is_doing = True
            self._worker = tasks.create_task(self._work(member, tasks))

    async def _beyond_limit(self, member: Member, raw: str | bytes) -> None:
        """Refuse a frame of a client that sends too fast, unless it asks to stop."""
        frame = _decoded_or_none(raw) if len(raw) <= wire.MAX_TEXT else None
        if frame is not None and self._is_urgent(frame):
            await self._handle_urgent(member, frame)
        else:
            self._refuse(member, "rate_limited", text("room.too_fast"))

    async def _handle_urgent(self, member: Member, frame: wire.ClientFrame) -> None:
        """Do *frame* now; or, if a frame is being done, once that has started its turns."""
        if not self._is_doing:
            await self._handle(member, frame)
        elif len(self._urgent) < MAX_WAITING_FRAMES:
            self._urgent.append(frame)
        else:
            self._refuse(member, "inbox_full", text("room.too_many_waiting"))

    def _is_urgent(self, frame: wire.ClientFrame) -> bool:
        if isinstance(frame, wire.AskUploadTicket):
            return True
        return isinstance(frame, wire.SendCommand) and self._chat.is_urgent(frame.text)

    def _put_in_line(self, member: Member, frame: wire.ClientFrame, size_bytes: int) -> bool:
        fits = self._waiting_bytes + size_bytes <= MAX_WAITING_BYTES
        held = held_bytes(frame)
        if not fits or len(self._waiting) >= MAX_WAITING_FRAMES or not self._budget.take(held):
            self._refuse(member, "inbox_full", text("room.too_many_waiting"))
            return False
        self._held_bytes += held
        self._waiting_bytes += size_bytes
        self._waiting.append(_Waiting(frame, size_bytes, held))
        return True

    def _give_back(self, held: int) -> None:
        self._held_bytes -= held
        self._budget.give_back(held)

    def _decode(self, member: Member, raw: str | bytes) -> wire.ClientFrame | None:
        try:
            return wire.decode(raw)
        except wire.NotJsonError:
            self._telemetry.count("frames_dropped", label="not_json")
        except wire.InvalidFrameError:
            self._refuse(member, "invalid", text("room.invalid_frame"))
        return None

    async def _work(self, member: Member, tasks: TaskGroup) -> None:
        """Do what waits, one after the other; a client at rest costs no task."""
        while self._waiting:
            waiting = self._waiting.pop(0)
            self._waiting_bytes -= waiting.size_bytes
            turns = await self._do_whole(member, waiting.frame)
            self._give_back(waiting.held_bytes)
            del waiting  # answers may take minutes
            if turns and not self._gone:
                self._answers = tasks.create_task(asyncio.wait(turns))
                await asyncio.wait([self._answers])
        self._worker = self._answers = None

    async def _do_whole(self, member: Member, frame: wire.ClientFrame) -> list[Task[None]]:
        """Do *frame*, then the urgent ones that came meanwhile: they may stop what it starts."""
        self._is_doing = True
        turns = await self._handle(member, frame)
        while self._urgent:
            await self._handle(member, self._urgent.pop(0))
        self._is_doing = False
        return turns

    async def _handle(self, member: Member, frame: wire.ClientFrame) -> list[Task[None]]:
        try:
            with timed(self._telemetry, self._clock, "message_seconds"):
                return await self._do(member, frame)
        except PalabreError as error:
            self._tell(member, error.text)
        except Exception:  # noqa: BLE001  outermost loop of a socket: the client stays
            reference = self._ids.new("error")
            _log.exception("frame failed", extra={"reference": reference})
            self._tell(member, text("room.fault", reference=reference))
        return []

    async def _do(self, member: Member, frame: wire.ClientFrame) -> list[Task[None]]:
        if not await self._visit.is_current():
            self._end_session(member)
            return []
        self._telemetry.count("frames_received", label=type(frame).__name__)
        match frame:
            case wire.SendMessage(words):
                return await self._chat.post(member, words)
            case wire.SendCommand(line):
                return await self._chat.run_command(member, line)
            case wire.SendUpload():
                return await self._share(member, frame)
            case wire.AskUploadTicket():
                ticket = self._tickets.of(member)
                self._chat.tell(member, UploadAllowed(ticket, MAX_FILE_BYTES))
            case _:
                assert_never(frame)
        return []

    async def _share(self, member: Member, frame: wire.SendUpload) -> list[Task[None]]:
        sent = await asyncio.to_thread(from_frame, frame)
        files = self._chat.files
        return [await files.share(member, files.check(member, sent.name, sent.content))]

    def _refuse(self, member: Member, label: str, words: Text) -> None:
        self._telemetry.count("frames_refused", label=label)
        self._tell(member, words)

    def _tell(self, member: Member, words: Text) -> None:
        self._chat.tell(member, NoticeGiven(words))


def _is_oversize(raw: str | bytes) -> bool:
    """Say whether *raw* is too large to be looked at; an upload may be a little larger."""
    size = _size_bytes(raw)
    if size <= wire.MAX_FRAME_BYTES or size > wire.MAX_UPLOAD_FRAME_BYTES:
        return size > wire.MAX_FRAME_BYTES
    return not _is_upload(raw)


def _size_bytes(raw: str | bytes) -> int:
    """Return the size on the wire; encodes only where the characters leave it open."""
    if isinstance(raw, bytes) or len(raw) > wire.MAX_UPLOAD_FRAME_BYTES:
        return len(raw)
    if len(raw) * 3 <= wire.MAX_FRAME_BYTES:
        return len(raw)
    return len(raw.encode("utf-8", "surrogatepass"))


def _is_upload(raw: str | bytes) -> bool:
    return isinstance(_decoded_or_none(raw), wire.SendUpload)


def _decoded_or_none(raw: str | bytes) -> wire.ClientFrame | None:
    try:
        return wire.decode(raw)
    except wire.ProtocolError:
        return None
