import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response

from palabre.surfaces.rooms.tui.connection import (
    MAX_FRAME_BYTES,
    Connection,
    Event,
    GaveUp,
    Lost,
    Opened,
    Received,
    Waiting,
)
from palabre.wire.rooms import SendMessage, System, encode

DEADLINE_S = 30


class Client:
    """A running connection, its events and the pauses it asked for."""

    def __init__(self, port: int) -> None:
        self.events: list[Event] = []
        self.pauses: list[float] = []
        self.nick = "lea"
        self.connection = Connection(
            lambda: f"ws://127.0.0.1:{port}/ws?nick={self.nick}", self.events.append, self._sleep
        )

    async def _sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        await asyncio.sleep(0)

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not condition():  # noqa: ASYNC110 - events come from a real socket
                await asyncio.sleep(0.005)

    def count(self, kind: type[Event]) -> int:
        return sum(isinstance(event, kind) for event in self.events)


@asynccontextmanager
async def running(port: int) -> AsyncIterator[Client]:
    client = Client(port)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(client.connection.run())
        yield client
        task.cancel()


def port_of(server: Server) -> int:
    return int(next(iter(server.sockets)).getsockname()[1])


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def serving(handler: Callable[[ServerConnection], Awaitable[None]]) -> serve:
    return serve(handler, "127.0.0.1", 0, max_size=None, close_timeout=1)


async def test_frames_come_in_and_go_out() -> None:
    heard: list[str | bytes] = []

    async def greet(peer: ServerConnection) -> None:
        await peer.send(encode(System("hello")).decode())
        heard.append(await peer.recv())
        await peer.wait_closed()

    async with serving(greet) as server, running(port_of(server)) as client:
        await client.until(lambda: client.count(Received) == 1)
        assert client.events == [Opened(), Received(System("hello"))]
        assert await client.connection.send(SendMessage("x"))
        await client.until(lambda: bool(heard))
        assert heard == ['{"type":"message","text":"x"}']


async def test_what_is_no_frame_is_dropped_and_the_connection_lives() -> None:
    async def babble(peer: ServerConnection) -> None:
        for raw in ("{", "[]", '{"type":"thinking","nick":"x"}', '{"type":"message"}', "[" * 5000):
            await peer.send(raw)
        await peer.send(b"\xff\xfe")
        await peer.send(encode(System("still here")).decode())
        await peer.wait_closed()

    async with serving(babble) as server, running(port_of(server)) as client:
        await client.until(lambda: client.count(Received) == 1)
        assert client.events == [Opened(), Received(System("still here"))]
        assert client.count(Lost) == 0


async def test_a_lost_connection_is_made_again_with_the_nick_of_the_moment() -> None:
    paths: list[str] = []
    clients: list[Client] = []

    async def hang_up(peer: ServerConnection) -> None:
        assert peer.request is not None
        paths.append(peer.request.path)
        clients[0].nick = "paul"
        if len(paths) < 3:
            await peer.close(1013, "slow")
        await peer.wait_closed()

    async with serving(hang_up) as server, running(port_of(server)) as client:
        clients.append(client)
        await client.until(lambda: client.count(Opened) == 3)
        assert paths == ["/ws?nick=lea", "/ws?nick=paul", "/ws?nick=paul"]
        assert client.events.count(Lost("1013 slow")) == 2
        # Each success starts the schedule anew.
        assert client.pauses == [1, 1]
        assert [event for event in client.events if isinstance(event, Waiting)] == [
            Waiting(1, 1)
        ] * 2


async def test_after_twenty_attempts_it_gives_up_until_asked() -> None:
    port = free_port()
    async with running(port) as client:
        await client.until(lambda: client.count(GaveUp) == 1)
        assert client.pauses == [1, 2, 4, 8, 16] + [30] * 15
        assert client.count(Lost) == 21
        assert not await client.connection.send(SendMessage("x"))
        client.connection.retry()
        await client.until(lambda: client.count(GaveUp) == 2)


async def test_a_server_that_refuses_is_not_asked_again() -> None:
    def forbid(_peer: ServerConnection, _request: Request) -> Response:
        return _peer.respond(HTTPStatus.FORBIDDEN, "no")

    async def never(_peer: ServerConnection) -> None:
        raise AssertionError

    async with (
        serve(never, "127.0.0.1", 0, process_request=forbid) as server,
        running(port_of(server)) as client,
    ):
        await client.until(lambda: client.count(GaveUp) == 1)
        assert client.events == [Lost("HTTP 403"), GaveUp()]


async def test_a_server_that_is_not_ready_is_asked_again() -> None:
    answers = [HTTPStatus.SERVICE_UNAVAILABLE]

    def starting(peer: ServerConnection, _request: Request) -> Response | None:
        return peer.respond(answers.pop(), "soon") if answers else None

    async with (
        serve(lambda peer: peer.wait_closed(), "127.0.0.1", 0, process_request=starting) as server,
        running(port_of(server)) as client,
    ):
        await client.until(lambda: client.count(Opened) == 1)
        assert client.events[0] == Lost("HTTP 503")


async def test_a_frame_of_20_mib_comes_through_and_a_larger_one_than_32_ends_the_connection() -> (
    None
):
    sizes = [20 * 1024 * 1024, MAX_FRAME_BYTES + 1]

    async def flood(peer: ServerConnection) -> None:
        if sizes:
            await peer.send(encode(System("x" * (sizes.pop(0) - 27))).decode())
        await peer.wait_closed()

    async with serving(flood) as server, running(port_of(server)) as client:
        await client.until(lambda: client.count(Received) == 1)
        assert client.count(Lost) == 0
    async with serving(flood) as server, running(port_of(server)) as client:
        await client.until(lambda: client.count(Lost) == 1)
        assert client.count(Received) == 0
