"""How much may wait for a client that reads slowly, and what becomes of it then."""

import asyncio
from collections.abc import Sequence

from palabre.core.chat.ports import LargePayload
from palabre.surfaces.rooms.frames import json_lines, websocket_frames
from palabre.surfaces.rooms.pacing import MAX_PACED_BYTES, TURN_BYTES, Pacer
from palabre.surfaces.rooms.sinks import LARGE_BYTES, QueueSink, SocketSink, UnreadLimits

LIMIT = UnreadLimits(max_bytes=1000, max_events=10, grace_s=2)


class FakePeer:
    """A connection whose client reads when the test says so."""

    def __init__(self) -> None:
        self.is_open = True
        self.unread_bytes = 0
        self.evicted: list[tuple[str, float]] = []

    def write_frames(self, frames: bytes) -> None:
        self.unread_bytes += len(frames)

    def write_buffers(self, buffers: Sequence[bytes]) -> None:
        self.write_frames(b"".join(buffers))

    def evict(self, reason: str, grace_s: float) -> None:
        self.evicted.append((reason, grace_s))


def sink_of(peer: FakePeer) -> SocketSink:
    return SocketSink(peer, "fr", LIMIT)  # type: ignore[arg-type]


def test_who_has_read_all_may_be_told_anything_at_once() -> None:
    peer = FakePeer()
    sink = sink_of(peer)
    for _ in range(3):
        assert sink.write(b"x" * 5000, 1000)
        peer.unread_bytes = 0


def test_too_many_bytes_or_events_that_wait_are_too_many() -> None:
    peer = FakePeer()
    sink = sink_of(peer)
    assert sink.write(b"x" * 1001, 1)
    assert not sink.write(b"x", 1)
    peer.unread_bytes = 0
    assert sink.write(b"x" * 11, 11)
    assert not sink.write(b"x", 1)


def test_who_reads_steadily_is_never_too_slow_however_late() -> None:
    peer = FakePeer()
    sink = sink_of(peer)
    sink.write(b"x" * 50, 5)
    for _ in range(1000):
        peer.unread_bytes = 40  # read but a little, each time
        assert sink.write(b"x" * 10, 1)


def test_who_reads_nothing_is_soon_too_slow() -> None:
    peer = FakePeer()
    sink = sink_of(peer)
    assert [sink.write(b"x" * 10, 1) for _ in range(13)] == [True] * 11 + [False] * 2


def test_bytes_that_are_not_ours_count_as_bytes_alone() -> None:
    peer = FakePeer()
    peer.unread_bytes = 900  # pongs
    sink = sink_of(peer)
    assert sink.write(b"x", 1)
    peer.unread_bytes = 1001
    assert not sink.write(b"x", 1)


def test_a_closed_line_takes_nothing_and_is_given_up_with_the_grace() -> None:
    peer = FakePeer()
    sink = sink_of(peer)
    peer.is_open = False
    assert not sink.write(b"x", 1)
    sink.evict()
    assert peer.evicted == [("too slow", 2)]


def test_sinks_of_one_kind_and_language_share_their_encoder() -> None:
    assert sink_of(FakePeer()).encoder is sink_of(FakePeer()).encoder is websocket_frames("fr")
    assert QueueSink("en", LIMIT).encoder is json_lines("en")
    assert json_lines("en") is not json_lines("fr")


async def test_a_queue_gives_one_text_a_time_and_none_at_the_end() -> None:
    sink = QueueSink("fr", LIMIT)
    assert sink.write(b'{"a":1}\n{"b":2}', 2)
    assert not sink.write(b"x", 9)
    sink.evict()
    async with asyncio.timeout(30):
        got = [await sink.queue.get() for _ in range(3)]
    assert got == ['{"a":1}', '{"b":2}', None]


def test_a_large_frame_may_wait_besides_what_is_allowed() -> None:
    peer = FakePeer()
    sink = sink_of(peer)
    assert sink.write(b"x" * (LARGE_BYTES + 1), 1)
    assert sink.write(b"x" * 900, 1)
    peer.unread_bytes = LARGE_BYTES + 1002
    assert not sink.write(b"x", 1)
    peer.unread_bytes = 0
    assert sink.write(b"x" * 1001, 1)
    assert not sink.write(b"x", 1), "what was read is allowed no second time"


def test_large_frames_that_were_read_allow_no_more_to_wait() -> None:
    """Before, who never read to the end might in time leave 80 MB unread."""
    peer = FakePeer()
    sink = sink_of(peer)
    for _ in range(3):
        peer.unread_bytes = 1
        assert sink.write(b"x" * (LARGE_BYTES + 1), 1)
    peer.unread_bytes = 2 * LARGE_BYTES
    assert not sink.write(b"x", 1)


def sound(size_bytes: int) -> LargePayload:
    return LargePayload(((b"x" * size_bytes,),), size_bytes, can_miss=True)


def test_who_is_behind_is_spared_what_it_can_do_without() -> None:
    peer = FakePeer()
    sink = sink_of(peer)
    assert sink.write_large(sound(300))
    assert peer.unread_bytes == 300
    assert sink.write_large(sound(300))
    assert peer.unread_bytes == 300
    assert not peer.evicted


async def test_long_sounds_for_many_are_written_in_turn_and_held_against_nobody() -> None:
    """Before, 2 MB for each of 50 listeners were written in one turn of the loop: 42 ms."""
    pacer, peers, long = Pacer(), [FakePeer() for _ in range(10)], sound(LARGE_BYTES + 1)
    sinks = [SocketSink(peer, "fr", UnreadLimits(), pacer) for peer in peers]  # type: ignore[arg-type]
    assert all(sink.write_large(long) for sink in sinks)
    assert sum(peer.unread_bytes for peer in peers) == 0
    await asyncio.sleep(0)
    assert 0 < sum(peer.unread_bytes for peer in peers) <= TURN_BYTES + long.size_bytes
    for _ in range(10):
        await asyncio.sleep(0)
    assert {peer.unread_bytes for peer in peers} == {long.size_bytes}
    assert all(sink.write(b"x", 1) for sink in sinks)
    assert all(sink.write_large(LargePayload(((b"p",),), 1)) for sink in sinks)


async def test_a_full_queue_is_spared_what_it_can_do_without() -> None:
    sink = QueueSink("fr", LIMIT)
    for _ in range(5):
        assert sink.write_large(LargePayload(((b"{}\n",),), 3, can_miss=True))
    assert sink.queue.qsize() == 3


async def test_what_is_written_behind_a_large_payload_comes_behind_it_within_the_limits() -> None:
    peer = FakePeer()
    sink = sink_of(peer)
    assert sink.write_large(LargePayload(((b"a",), (b"b",)), 2))
    assert sink.write_large(sound(6))
    assert all(sink.write(b"x" * 90, 1) for _ in range(11))
    assert not sink.write(b"x", 1), "too many events wait"
    assert peer.unread_bytes == 0
    for _ in range(20):
        await asyncio.sleep(0)
    assert peer.unread_bytes == 2 + 11 * 90


async def test_two_of_the_largest_may_wait_and_no_more() -> None:
    sink = sink_of(FakePeer())
    half = LargePayload(((b"x",),), MAX_PACED_BYTES // 2)
    assert [sink.write_large(half) for _ in range(3)] == [True, True, False]


async def test_a_closed_line_takes_no_large_payload() -> None:
    peer = FakePeer()
    sink = sink_of(peer)
    peer.is_open = False
    assert not sink.write_large(LargePayload(((b"x",),), 1))


async def test_a_queue_takes_a_large_payload_as_one_text() -> None:
    sink = QueueSink("fr", LIMIT)
    assert sink.write_large(LargePayload(((b'{"a":', b"1}\n"),), 8))
    assert await sink.queue.get() == '{"a":1}'
