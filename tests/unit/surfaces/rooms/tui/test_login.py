import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from palabre.surfaces.rooms.tui.login import HEADER, Login, LoginRefusedError


@dataclass
class Server:
    """Answers every request alike.

    Attributes:
        bodies: What it was sent.
    """

    answer: bytes
    url: str = ""
    bodies: list[Any] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.partition("content-length:")[2].split()[0])
        self.bodies.append(json.loads(await reader.readexactly(length)))
        lines = (
            f"HTTP/1.1 200 OK\r\nContent-Length: {len(self.answer)}\r\nConnection: close\r\n\r\n"
        )
        writer.write(lines.encode() + self.answer)
        await writer.drain()
        writer.close()


@asynccontextmanager
async def serving(answer: Any) -> AsyncIterator[Server]:
    raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    server = Server(raw)
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/api/session/login"
    async with listening:
        yield server


GIVEN = {"ok": True, "data": {"id": "abc", "username": "lea"}}


async def test_a_session_is_got_once_and_again_when_it_is_forgotten() -> None:
    async with serving(GIVEN) as server:
        login = Login(server.url, "lea", "secret")
        for _ in range(2):
            assert await login.headers() == {HEADER: "abc"}
        login.forget()
        assert await login.headers() == {HEADER: "abc"}
    assert server.bodies == [{"username": "lea", "password": "secret"}] * 2


async def test_a_guest_sends_no_password() -> None:
    async with serving(GIVEN) as server:
        await Login(server.url, "lea", "").headers()
    assert server.bodies == [{"username": "lea"}]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"ok": False, "error": "invalid_credentials"}, "invalid_credentials"),
        ({"ok": False, "error": "rate_limited"}, "rate_limited"),
        ({"ok": False, "error": "something new"}, "other"),
        ({"ok": True, "data": {"id": 5}}, "other"),
        ([], "other"),
    ],
)
async def test_a_refusal_is_told_by_its_code(answer: Any, code: str) -> None:
    async with serving(answer) as server:
        with pytest.raises(LoginRefusedError) as refused:
            await Login(server.url, "lea", "secret").headers()
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("code", "times"), [("invalid_credentials", 1), ("validation_error", 1), ("rate_limited", 2)]
)
async def test_a_password_that_was_refused_is_not_sent_again(code: str, times: int) -> None:
    async with serving({"ok": False, "error": code}) as server:
        login = Login(server.url, "lea", "secret")
        for _ in range(2):
            with pytest.raises(LoginRefusedError) as refused:
                await login.headers()
            assert refused.value.code == code
        assert len(server.bodies) == times
        login.retype("another")
        with pytest.raises(LoginRefusedError):
            await login.headers()
        assert server.bodies[-1] == {"username": "lea", "password": "another"}


async def test_what_is_no_server_of_ours_is_an_error_of_the_connection() -> None:
    async with serving(b"<html>") as server:
        with pytest.raises(OSError, match="malformed"):
            await Login(server.url, "lea", "secret").headers()
    with pytest.raises(OSError, match=r"\w"):
        await Login(server.url, "lea", "secret").headers()


def test_the_password_is_not_shown() -> None:
    assert "secret" not in repr(Login("http://x", "lea", "secret"))
