"""Large payloads go out in turn, and no further than clients read."""

import asyncio
from collections.abc import Callable, Sequence

from palabre.core.chat.ports import LargePayload
from palabre.surfaces.rooms.pacing import TURN_BYTES, UNREAD_BYTES, PacedLine, Pacer

PIECE = b"x" * UNREAD_BYTES


class Peer:
    """A connection whose client reads when the test says so."""

    def __init__(self) -> None:
        self.is_open = True
        self.unread_bytes = 0
        self.written: list[bytes] = []
        self.reads_all = True

    def write_buffers(self, buffers: Sequence[bytes]) -> None:
        self.written.append(b"".join(buffers))
        if not self.reads_all:
            self.unread_bytes += len(self.written[-1])


def a_payload(pieces: int) -> LargePayload:
    return LargePayload(tuple((b"h", PIECE) for _ in range(pieces)), pieces * (len(PIECE) + 1))


def a_line(pacer: Pacer, peer: Peer, pieces: int) -> PacedLine:
    line = PacedLine(peer)
    line.put_large(a_payload(pieces))
    pacer.add(line)
    return line


async def until(is_so: Callable[[], object]) -> None:
    async with asyncio.timeout(30):
        while not is_so():  # noqa: ASYNC110  (what is waited for is no event)
            await asyncio.sleep(0)


async def test_everybody_gets_all_of_it_in_order_and_what_came_behind_it_after_it() -> None:
    pacer, peers = Pacer(), [Peer(), Peer()]
    lines = [a_line(pacer, peer, 3) for peer in peers]
    for line in lines:
        line.put(b"behind", 1)
    await until(lambda: not any(line.is_busy for line in lines))
    for peer in peers:
        assert peer.written == [b"h" + PIECE] * 3 + [b"behind"]
    assert [line.large_bytes + line.behind_bytes + line.behind_events for line in lines] == [0, 0]


async def test_one_turn_of_the_loop_writes_a_bounded_amount() -> None:
    pacer, peer = Pacer(), Peer()
    line = a_line(pacer, peer, 100)
    await asyncio.sleep(0)
    assert len(peer.written) <= TURN_BYTES // len(PIECE) + 1
    assert line.is_busy


async def test_who_does_not_read_gets_no_more_and_keeps_nobody_waiting() -> None:
    pacer, slow, quick = Pacer(), Peer(), Peer()
    slow.reads_all = False
    waiting, done = a_line(pacer, slow, 5), a_line(pacer, quick, 5)
    await until(lambda: not done.is_busy)
    assert len(slow.written) == 1
    slow.unread_bytes, slow.reads_all = 0, True
    await until(lambda: not waiting.is_busy)
    assert len(slow.written) == 5


async def test_a_closed_line_is_forgotten() -> None:
    pacer, peer = Pacer(), Peer()
    line = a_line(pacer, peer, 5)
    peer.is_open = False
    peer.unread_bytes = 10 * UNREAD_BYTES
    await until(lambda: not line.is_busy)
    assert peer.written == []


async def test_a_pacer_that_came_to_rest_begins_again() -> None:
    pacer, peer = Pacer(), Peer()
    first = a_line(pacer, peer, 1)
    await until(lambda: not first.is_busy)
    await asyncio.sleep(0.02)
    second = a_line(pacer, peer, 1)
    await until(lambda: not second.is_busy)
    assert len(peer.written) == 2
