import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from palabre.surfaces.http.http_protocol import (
    MAX_HEAD_BYTES,
    MAX_HEADERS,
    BoundedHttpProtocol,
)

DEADLINE_S = 10
HEAD = b"GET / HTTP/1.1\r\nHost: here\r\n"
MUCH = bytes(64 * 1024 * 1024)


class Hasty(BoundedHttpProtocol):
    head_within_s = 0.2
    unread_within_s = 0.2


async def answering(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer `/slow` after a while, `/much` with more than anybody keeps for a client."""
    body = MUCH if scope["path"] == "/much" else b""
    await asyncio.sleep(0.5 if scope["path"] == "/slow" else 0)
    size = str(len(body)).encode()
    start = {"type": "http.response.start", "status": 200, "headers": [(b"content-length", size)]}
    await send(start)
    await send({"type": "http.response.body", "body": body})


@asynccontextmanager
async def talking(
    kind: type[BoundedHttpProtocol] = BoundedHttpProtocol,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    config = uvicorn.Config(answering, http=kind, lifespan="off", log_config=None)
    config.load()
    state = ServerState()
    server = await asyncio.get_running_loop().create_server(
        lambda: kind(config=config, server_state=state, app_state={}), "127.0.0.1", 0
    )
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        try:
            yield reader, writer
        finally:
            writer.close()


async def until_end(reader: asyncio.StreamReader) -> bytes:
    async with asyncio.timeout(DEADLINE_S):
        return await reader.read()


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ")[1]) if answer else 0


def is_in_the_shape_of_all_errors(answer: bytes) -> bool:
    head, _, body = answer.partition(b"\r\n\r\n")
    return b"nosniff" in head and json.loads(body)["ok"] is False


@pytest.mark.parametrize(
    "head",
    [
        HEAD + b"X: " + b"a" * (MAX_HEAD_BYTES + 1),
        b"GET /" + b"a" * (MAX_HEAD_BYTES + 1),
        b"\r\n" * (MAX_HEAD_BYTES // 2 + 1),
        HEAD + b"X: a\r\n" * (MAX_HEADERS + 1) + b"\r\n",
    ],
    ids=["one long line", "address", "nothing but lines", "many lines"],
)
async def test_a_head_that_is_too_large_is_refused_before_it_ends(head: bytes) -> None:
    async with talking() as (reader, writer):
        writer.write(head)
        answer = await until_end(reader)
        assert status_of(answer) == 431
        assert is_in_the_shape_of_all_errors(answer)


async def test_a_head_up_to_the_limit_is_read_and_the_body_does_not_count() -> None:
    async with talking() as (reader, writer):
        line = b"X: " + b"a" * (MAX_HEAD_BYTES - 300) + b"\r\n"
        size = b"Content-Length: %d\r\n\r\n" % (2 * MAX_HEAD_BYTES)
        for _ in range(2):
            writer.write(b"POST / HTTP/1.1\r\nHost: here\r\n" + line)
            writer.write(size + bytes(2 * MAX_HEAD_BYTES))
            async with asyncio.timeout(DEADLINE_S):
                assert status_of(await reader.readuntil(b"\r\n\r\n")) == 200


async def test_what_is_no_request_is_refused_in_the_shape_of_all_errors() -> None:
    async with talking() as (reader, writer):
        writer.write(b"nonsense\r\n\r\n")
        answer = await until_end(reader)
        assert status_of(answer) == 400
        assert is_in_the_shape_of_all_errors(answer)


@pytest.mark.parametrize(
    ("sent", "status"), [(b"", 0), (b"GET / HT", 408), (HEAD, 408)], ids=["nothing", "line", "head"]
)
async def test_a_head_that_does_not_come_is_not_waited_for(sent: bytes, status: int) -> None:
    async with talking(Hasty) as (reader, writer):
        writer.write(sent)
        assert status_of(await until_end(reader)) == status


async def test_bytes_that_drip_in_after_an_answer_do_not_hold_the_connection() -> None:
    async with talking(Hasty) as (reader, writer):
        writer.write(b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1000\r\n\r\n")
        async with asyncio.timeout(DEADLINE_S):
            await reader.readuntil(b"\r\n\r\n")
            while not reader.at_eof():
                writer.write(b"a")
                await asyncio.sleep(0.05)


async def test_an_answer_that_takes_long_is_not_cut() -> None:
    async with talking(Hasty) as (reader, writer):
        writer.write(b"GET /slow HTTP/1.1\r\nHost: here\r\n\r\nGET / HT")
        async with asyncio.timeout(DEADLINE_S):
            assert status_of(await reader.readuntil(b"\r\n\r\n")) == 200


async def test_a_client_that_does_not_read_is_cut_off() -> None:
    async with talking(Hasty) as (reader, writer):
        writer.write(b"GET /much HTTP/1.1\r\nHost: here\r\n\r\n")
        await asyncio.sleep(1)
        with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
            await reader.readexactly(len(MUCH))
