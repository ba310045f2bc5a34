"""One client's frames: in order, each with its answers, and no more of them than fit."""

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest
from tests.support.turns import eventually

from palabre.core.chat.members import Member
from palabre.core.chat.model import Event, NoticeGiven
from palabre.core.chat.visitors import Visitor
from palabre.kernel.errors import StorageError
from palabre.kernel.ids import ChannelName, Nick
from palabre.surfaces.rooms import door
from palabre.surfaces.rooms.frame_budget import FrameBudget
from palabre.surfaces.rooms.socket import MAX_WAITING_FRAMES, RoomSocket, SocketRules
from palabre.surfaces.rooms.tickets import Tickets
from palabre.testing.clock import FrozenClock
from palabre.testing.ids import CountingIds
from palabre.testing.sinks import RecordingSink
from palabre.testing.telemetry import RecordingTelemetry

MIB = 1024 * 1024


STRANGER = door.Visit(Visitor())


class FakeChat:
    """Rooms whose answers take as long as the test wants.

    Attributes:
        done: What was done, in order.
        answers: Given out as the turns that each message starts.
        fault: Raised by the next message or file.
        checked: Files that were taken.
        kept: Messages are said once it is set.
    """

    def __init__(self, sink: RecordingSink) -> None:
        self.member = Member(Nick("ana"), ChannelName("#here"), sink)
        self.done: list[str] = []
        self.told: list[str] = []
        self.answers: list[asyncio.Task[None]] = []
        self.fault: Exception | None = None
        self.refusal: Exception | None = None
        self.checked = 0
        self.kept = asyncio.Event()
        self.kept.set()

    async def enter(self, sink: RecordingSink, visitor: Visitor) -> Member:
        if self.refusal:
            raise self.refusal
        return self.member

    def leave(self, member: Member) -> None:
        self.done.append("left")

    def is_urgent(self, line: str) -> bool:
        return line == "/stop"

    async def post(self, member: Member, words: str) -> list[asyncio.Task[None]]:
        fault, self.fault = self.fault, None
        if fault:
            raise fault
        await self.kept.wait()
        self.done.append(words)
        return self.answers

    @property
    def files(self) -> "FakeChat":
        return self

    def check(self, member: Member, name: str, content: bytes) -> str:
        fault, self.fault = self.fault, None
        if fault:
            raise fault
        self.checked += 1
        return f"file {name} {len(content)}"

    async def share(self, member: Member, file: str) -> asyncio.Task[None]:
        await self.kept.wait()
        self.done.append(file)
        return asyncio.create_task(asyncio.sleep(0))

    async def run_command(self, member: Member, line: str) -> list[asyncio.Task[None]]:
        self.done.append(line)
        return []

    def tell(self, member: Member, *events: Event) -> None:
        self.told += [each.text.code for each in events if isinstance(each, NoticeGiven)]


class Frames:
    """What a client sends; it leaves when the test closes it."""

    def __init__(self, raws: Iterable[str | bytes]) -> None:
        self.queue: asyncio.Queue[str | bytes | None] = asyncio.Queue()
        for raw in raws:
            self.queue.put_nowait(raw)

    async def receive(self) -> str | bytes | None:
        return await self.queue.get()


class Visit:
    def __init__(
        self, *raws: str | bytes, limit: int = 1000, budget: FrameBudget | None = None
    ) -> None:
        self.telemetry, self.frames = RecordingTelemetry(), Frames(raws)
        sink = RecordingSink()
        self.chat = FakeChat(sink)
        chat: Any = self.chat
        self.socket = RoomSocket(
            chat,
            sink,
            telemetry=self.telemetry,
            clock=FrozenClock(),
            ids=CountingIds(),
            tickets=Tickets(),
            budget=budget or FrameBudget(),
            rules=SocketRules(limit),
        )

    async def run(self, admitted: door.Visit = STRANGER) -> None:
        self.frames.queue.put_nowait(None)
        async with asyncio.timeout(30):
            await self.socket.serve(self.frames, admitted)


def message(words: str) -> str:
    return f'{{"type":"message","text":"{words}"}}'


STOP = '{"type":"command","text":"/stop"}'


async def answer_never(forever: asyncio.Event) -> None:
    await forever.wait()


async def test_frames_are_done_in_order_and_what_was_sent_before_leaving_too() -> None:
    visit = Visit(message("a"), '{"type":"command","text":"/who"}', message("b"))
    await visit.run()
    assert visit.chat.done == ["a", "/who", "b", "left"]


async def test_a_frame_waits_for_the_answers_to_the_last_and_stop_does_not() -> None:
    async with asyncio.TaskGroup() as tasks:
        forever = asyncio.Event()
        visit = Visit(message("a"), message("b"), STOP)
        visit.chat.answers = [tasks.create_task(answer_never(forever))]
        serving = tasks.create_task(visit.socket.serve(visit.frames, STRANGER))
        for _ in range(20):
            await asyncio.sleep(0)
        assert sorted(visit.chat.done) == ["/stop", "a"]
        visit.frames.queue.put_nowait(None)
        await serving
        assert visit.chat.done[-2:] == ["b", "left"]
        forever.set()


async def test_a_stop_right_behind_a_message_is_done_once_that_has_started_its_turns() -> None:
    visit = Visit(message("a"), STOP, message("b"))
    visit.chat.kept.clear()
    async with asyncio.TaskGroup() as tasks:
        serving = tasks.create_task(visit.run())
        for _ in range(20):
            await asyncio.sleep(0)
        assert visit.chat.done == []
        visit.chat.kept.set()
        await serving
    assert visit.chat.done == ["a", "/stop", "b", "left"]


async def test_no_more_stops_wait_for_a_message_than_fit() -> None:
    visit = Visit(message("a"), *[STOP] * (MAX_WAITING_FRAMES + 1))
    visit.chat.kept.clear()
    async with asyncio.TaskGroup() as tasks:
        serving = tasks.create_task(visit.run())
        for _ in range(100):
            await asyncio.sleep(0)
        visit.chat.kept.set()
        await serving
    assert visit.chat.done == ["a", *["/stop"] * MAX_WAITING_FRAMES, "left"]
    assert visit.chat.told == ["room.too_many_waiting"]


async def test_no_more_frames_wait_than_fit() -> None:
    async with asyncio.TaskGroup() as tasks:
        forever = asyncio.Event()
        visit = Visit(*[message(str(number)) for number in range(MAX_WAITING_FRAMES + 10)])
        visit.chat.answers = [tasks.create_task(answer_never(forever))]
        await visit.run()
        forever.set()
    assert 0 < visit.chat.told.count("room.too_many_waiting") <= 10
    assert visit.telemetry.counts["frames_refused", "inbox_full"] <= 10


async def test_no_more_bytes_wait_than_fit() -> None:
    async with asyncio.TaskGroup() as tasks:
        forever = asyncio.Event()
        upload = '{"type":"upload","data":"' + "A" * (12 * MIB) + '"}'
        visit = Visit(message("a"))
        visit.chat.answers = [tasks.create_task(answer_never(forever))]
        serving = tasks.create_task(visit.socket.serve(visit.frames, STRANGER))
        await eventually(lambda: visit.chat.done)
        for _ in range(4):
            visit.frames.queue.put_nowait(upload)
        await eventually(lambda: len(visit.chat.told) >= 2)
        visit.frames.queue.put_nowait(None)
        await serving
        assert visit.chat.told == ["room.too_many_waiting"] * 2
        assert visit.chat.done.count(f"file  {9 * MIB}") == 2
        forever.set()


UPLOAD = '{"type":"upload","data":"' + "A" * (2 * MIB) + '"}'


async def test_large_frames_of_all_clients_wait_within_one_budget_and_small_ones_always_may() -> (
    None
):
    """Before, the frames of 15 clients behind a slow answer held 475 MB."""
    budget, forever = FrameBudget(5 * MIB), asyncio.Event()
    visits = [Visit(message("a"), UPLOAD, message("b"), budget=budget) for _ in range(3)]
    async with asyncio.TaskGroup() as tasks:
        answer = tasks.create_task(answer_never(forever))
        for visit in visits:
            visit.chat.answers = [answer]
            tasks.create_task(visit.socket.serve(visit.frames, STRANGER))
        await eventually(lambda: all(visit.frames.queue.empty() for visit in visits))
        assert [visit.chat.told for visit in visits] == [[], [], ["room.too_many_waiting"]]
        assert budget.left_bytes < MIB
        for visit in visits:
            visit.frames.queue.put_nowait(None)
        forever.set()
    assert [len(visit.chat.done) for visit in visits] == [4, 4, 3]
    assert budget.left_bytes == 5 * MIB


async def test_a_large_frame_that_is_being_done_counts_until_it_is_done() -> None:
    budget = FrameBudget(5 * MIB)
    visit = Visit(UPLOAD, budget=budget)
    visit.chat.kept.clear()
    async with asyncio.TaskGroup() as tasks:
        serving = tasks.create_task(visit.socket.serve(visit.frames, STRANGER))
        await eventually(lambda: visit.frames.queue.empty() and visit.chat.checked)
        assert budget.left_bytes < 4 * MIB
        visit.chat.kept.set()
        await eventually(lambda: budget.left_bytes == 5 * MIB)
        visit.frames.queue.put_nowait(None)
        await serving


async def test_a_large_frame_that_fails_gives_its_memory_back() -> None:
    budget = FrameBudget(5 * MIB)
    visit = Visit(UPLOAD, budget=budget)
    visit.chat.fault = RuntimeError("a bug")
    await visit.run()
    assert visit.chat.told == ["room.fault"]
    assert budget.left_bytes == 5 * MIB


async def test_what_waits_and_what_is_done_give_their_memory_back_when_the_program_ends() -> None:
    budget = FrameBudget(5 * MIB)
    visit = Visit(UPLOAD, UPLOAD, budget=budget)
    visit.chat.kept.clear()
    serving = asyncio.create_task(visit.socket.serve(visit.frames, STRANGER))
    await eventually(lambda: budget.left_bytes < MIB)
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
    assert budget.left_bytes == 5 * MIB


async def test_who_is_too_fast_is_told_so_each_time_but_may_still_stop() -> None:
    visit = Visit(message("a"), message("b"), "{", STOP, limit=1)
    await visit.run()
    assert visit.chat.told == ["room.too_fast"] * 2
    assert sorted(visit.chat.done) == ["/stop", "a", "left"]


@pytest.mark.parametrize(
    ("raw", "told", "counted"),
    [
        ("{", [], ("frames_dropped", "not_json")),
        (b"\xff", [], ("frames_dropped", "not_json")),
        ("{}", ["room.invalid_frame"], ("frames_refused", "invalid")),
        (message("a" * (16 * MIB)), [], ("frames_dropped", "oversize")),
        (b"x" * (20 * MIB), [], ("frames_dropped", "oversize")),
    ],
)
async def test_what_is_no_frame_is_dropped_or_answered_and_counted(
    raw: str | bytes, told: list[str], counted: tuple[str, str]
) -> None:
    visit = Visit(raw, message("after"))
    await visit.run()
    assert visit.chat.told == told
    assert visit.telemetry.counts[counted] == 1
    assert visit.chat.done == ["after", "left"]


@pytest.mark.parametrize(
    ("fault", "code"),
    [(StorageError(detail="disk full"), "error.storage"), (RuntimeError("a bug"), "room.fault")],
)
async def test_a_frame_that_fails_is_told_and_the_next_is_done(fault: Exception, code: str) -> None:
    visit = Visit(message("a"), message("b"))
    visit.chat.fault = fault
    await visit.run()
    assert visit.chat.told == [code]
    assert visit.chat.done == ["b", "left"]
