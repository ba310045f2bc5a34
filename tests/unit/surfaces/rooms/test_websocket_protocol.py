"""What a connection does with its peer, without a socket."""

import asyncio
import gc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn
from tests.support.raw_socket import BINARY, CLOSE, CONT, PING, TEXT, frame, handshake
from uvicorn.server import ServerState
from websockets.frames import Frame

from palabre.surfaces.rooms import websocket_protocol as module
from palabre.surfaces.rooms.websocket_protocol import RoomsWebSocketProtocol, peer_of

MIB = 1024 * 1024


class FakeTransport:
    """A line whose client reads nothing unless `unread_bytes` is set back."""

    def __init__(self) -> None:
        self.written = b""
        self.unread_bytes = 0
        self.reading = True
        self.closing = False
        self.aborted = False

    def get_extra_info(self, name: str) -> Any:
        return ("127.0.0.1", 1) if name in {"peername", "sockname"} else None

    def write(self, data: bytes) -> None:
        assert not self.aborted
        self.written += data

    def get_write_buffer_size(self) -> int:
        return self.unread_bytes

    def is_closing(self) -> bool:
        return self.closing

    def close(self) -> None:
        self.closing = True

    def abort(self) -> None:
        self.closing = self.aborted = True

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        assert not self.closing
        self.reading = True

    @property
    def close_code(self) -> int | None:
        """The code of the closing frame, if one was written last."""
        _, found, body = self.written.rpartition(b"\x88")
        return int.from_bytes(body[1:3], "big") if found and len(body) > 2 else None


class PatientLoop:
    """The running loop, whose timers go off when the test says so."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.timers: list[tuple[float, Callable[..., object]]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loop, name)

    def call_later(self, delay_s: float, call: Callable[..., object], *args: object) -> Any:
        self.timers.append((delay_s, call))
        return self._loop.call_later(3600, call, *args)

    def cut_after_s(self) -> float | None:
        """Return the soonest time after which the line is cut."""
        cuts = [delay_s for delay_s, call in self.timers if call.__name__ == "abort"]
        return min(cuts, default=None)


class Line:
    """One connection and the application behind it."""

    def __init__(self) -> None:
        self.received: list[Any] = []
        self.reads = asyncio.Event()
        self.reads.set()
        config = uvicorn.Config(
            self.app,
            interface="asgi3",
            proxy_headers=False,
            ws=RoomsWebSocketProtocol,
            ws_max_size=32 * MIB,
            ws_per_message_deflate=False,
            log_config=None,
        )
        config.load()
        self.loop, self.transport, self.state = PatientLoop(), FakeTransport(), ServerState()
        self.peer = RoomsWebSocketProtocol(config, self.state, {}, self.loop)  # type: ignore[arg-type]
        self.peer.connection_made(self.transport)  # type: ignore[arg-type]

    async def app(self, scope: Any, receive: Any, send: Any) -> None:
        assert peer_of(scope) is self.peer
        await receive()
        await send({"type": "websocket.accept"})
        while not self.received or self.received[-1] is not None:
            await self.reads.wait()
            event = await receive()
            self.received.append(event.get("text", event.get("bytes")))

    async def told(self, *raws: bytes) -> None:
        self.peer.data_received(b"".join(raws))
        await self.turns(50)

    async def turns(self, count: int) -> None:
        for _ in range(count):
            await asyncio.sleep(0)


@asynccontextmanager
async def line() -> AsyncIterator[Line]:
    connection = Line()
    await connection.told(handshake(("127.0.0.1", 1), "/ws", {}))
    connection.transport.written = b""
    yield connection
    connection.peer.connection_lost(None)
    await connection.turns(5)


async def test_many_tiny_frames_are_taken_a_few_at_a_time_and_in_order() -> None:
    async with line() as each:
        words = [str(number) for number in range(3000)]
        each.peer.data_received(b"".join(frame(TEXT, word.encode()) for word in words))
        assert each.peer.queue.qsize() < 1000
        assert not each.transport.reading
        await each.turns(3000 * 3)
        assert each.received == words
        assert each.transport.reading


async def test_nothing_more_is_read_while_the_application_is_behind() -> None:
    async with line() as each:
        each.reads.clear()
        await each.told(frame(TEXT, b"1"))  # taken by the receive that waited
        await each.told(frame(TEXT, b"x") * 5000)
        assert each.peer.queue.qsize() < 1000
        assert not each.transport.reading
        each.reads.set()
        await each.turns(20_000)
        assert len(each.received) == 5001
        assert each.transport.reading


async def test_pings_by_the_thousand_are_answered_a_few_at_a_time() -> None:
    async with line() as each:
        each.peer.data_received(frame(PING) * 10_000)
        assert len(each.transport.written) < 10_000
        await each.turns(500)
        assert each.transport.written == b"\x8a\x00" * 10_000


async def test_who_pings_and_never_reads_is_cut() -> None:
    async with line() as each:
        each.transport.unread_bytes = module.MAX_UNREAD_PONG_BYTES + 1
        await each.told(frame(PING) * 3)
        assert each.transport.aborted


@pytest.mark.parametrize(
    ("raws", "code"),
    [
        ([frame(TEXT, b"\xff")], 1007),
        ([frame(TEXT, b"{}", masked=False)], 1002),
        ([frame(TEXT, claim_bytes=33 * MIB)], 1009),
        ([frame(TEXT, fin=False), frame(CONT, fin=False) * (module.MAX_FRAGMENTS + 100)], 1009),
    ],
)
async def test_a_fault_is_closed_with_its_code_and_the_line_is_cut_if_nobody_reads(
    raws: list[bytes], code: int
) -> None:
    async with line() as each:
        each.peer.data_received(b"".join(raws))
        await each.turns(500)
        assert each.transport.close_code == code
        assert each.transport.closing
        assert each.loop.cut_after_s() == module.CLOSE_WITHIN_S
        assert each.received[-1:] == [None]
        assert each.peer.queue.qsize() == 0


async def test_a_goodbye_to_which_nobody_listens_cuts_the_line() -> None:
    async with line() as each:
        await each.told(frame(CLOSE, b"\x03\xe8"))
        assert each.transport.closing
        assert each.loop.cut_after_s() == module.CLOSE_WITHIN_S


async def test_broken_text_before_a_goodbye_in_one_breath_raises_nothing() -> None:
    async with line() as each:
        await each.told(frame(TEXT, b"\xff"), frame(CLOSE, b"\x03\xe8"))
        assert each.transport.closing
        assert each.received == [None]


async def test_who_is_given_up_gets_1013_and_the_given_grace() -> None:
    async with line() as each:
        each.peer.evict("too slow", 2)
        each.peer.evict("too slow", 2)
        await each.turns(5)
        assert each.transport.written.count(b"\x88") == 1
        assert each.transport.close_code == 1013
        assert each.loop.cut_after_s() == 2
        assert not each.peer.is_open
        assert each.received == [None]


@pytest.mark.parametrize("before", [b"", frame(CLOSE, b"\x03\xe8")])
async def test_the_end_of_the_program_waits_a_moment_for_each_and_no_more(before: bytes) -> None:
    async with line() as each:
        if before:
            await each.told(before)
        each.peer.shutdown()
        assert each.transport.closing
        assert each.loop.cut_after_s() == module.STOP_WITHIN_S
        assert (each.transport.close_code == 1012) == (not before)


async def test_a_text_too_large_to_be_kept_is_not_even_decoded() -> None:
    async with line() as each:
        await each.told(frame(TEXT, b"\xff" * (module.MAX_TEXT_BYTES + 1)))
        assert len(each.received[0]) == module.MAX_TEXT_BYTES + 1
        assert isinstance(each.received[0], bytes)
        await each.told(frame(BINARY, b"x"), frame(TEXT, "é".encode()))
        assert each.received[1:] == [b"x", "é"]


async def test_nothing_holds_a_message_that_the_application_has() -> None:
    """Before, the parser held the last frame of each connection until the next one came."""
    async with line() as each:
        whole, part = frame(TEXT, b"a" * MIB), frame(BINARY, b"a" * MIB, fin=False)
        for raws in ([whole], [part, frame(CONT, b"b" * MIB)]):
            await each.told(*raws)
            each.received.clear()
            found = [held for held in gc.get_objects() if type(held) is Frame]
            assert [len(held.data) for held in found if len(held.data) >= MIB] == []


async def test_unfinished_messages_of_all_connections_are_limited() -> None:
    lines = [Line() for _ in range(5)]
    shared = lines[0].state.connections
    for each in lines:
        each.peer.connections = shared
        shared.add(each.peer)
        await each.told(handshake(("127.0.0.1", 1), "/ws", {}))
    half = frame(TEXT, b"x" * (30 * MIB), claim_bytes=31 * MIB)
    for each in lines:
        each.peer.data_received(half)
    held = sum(each.peer.held_bytes for each in lines if not each.transport.closing)
    assert held <= module.MAX_HELD_BYTES
    assert [each.transport.closing for each in lines] == [False] * 4 + [True]
    assert lines[-1].transport.close_code == 1013
    await lines[0].told(b"x" * MIB)
    assert len(lines[0].received[0]) == 31 * MIB
    for each in lines:
        each.peer.connection_lost(None)
    await asyncio.sleep(0.01)


async def test_a_handshake_that_nobody_answers_is_cut_in_time() -> None:
    each = Line()
    timers = [call for delay_s, call in each.loop.timers if delay_s == module.HANDSHAKE_WITHIN_S]
    timers[0]()
    assert each.transport.aborted
    each.peer.connection_lost(None)


async def test_an_accepted_handshake_has_all_the_time() -> None:
    async with line() as each:
        for delay_s, call in each.loop.timers:
            if delay_s == module.HANDSHAKE_WITHIN_S:
                call()
        assert not each.transport.aborted


@pytest.mark.parametrize("sent", [0, 40, None], ids=["nothing", "half", "all, not yet accepted"])
async def test_the_program_ends_whatever_the_handshake(sent: int | None) -> None:
    each = Line()
    each.peer.data_received(handshake(("127.0.0.1", 1), "/ws", {})[:sent])
    each.peer.shutdown()
    assert each.transport.aborted
    assert not each.transport.written
    each.peer.connection_lost(None)
    await each.turns(5)


async def test_a_handshake_that_is_no_http_is_refused() -> None:
    each = Line()
    each.peer.data_received(b"GET /ws HTTP/1.1\r\nno header\r\n\r\n")
    assert each.transport.written.startswith(b"HTTP/1.1 400 ")
    assert each.transport.closing
    each.peer.shutdown()
    each.peer.connection_lost(None)
