"""Nothing that one client sends holds the event loop up."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tests.support.peers import PALABRE, running
from tests.support.raw_socket import (
    CONT,
    PING,
    TEXT,
    RawSocket,
    connect_raw,
    frame,
)
from tests.support.served import Served, served

pytestmark = pytest.mark.e2e

MIB = 1024 * 1024


Attack = Callable[[Served], Awaitable[None]]


async def _one(server: Served, raw: bytes) -> None:
    hostile = await connect_raw(server.address)
    await hostile.send(raw)
    await hostile.is_served()
    hostile.hang_up()


def _json_of(unit: str, opening: str = '{"type":"message","text":5,"x":[') -> bytes:
    return frame(TEXT, (opening + unit * (16_000_000 // len(unit.encode()))).encode())


WORST: dict[str, bytes] = {
    "16 MiB of numbers": _json_of("1.5e300,"),
    "16 MiB of objects": _json_of("{},"),
    "16 MiB of escapes": _json_of("\\u20ac", '{"type":"message","text":"'),
    "16 MiB of euros": _json_of("€", '{"type":"message","text":"'),
    "16 MiB of quotes": _json_of('"', ""),
    "16 MiB of upload": frame(TEXT, b'{"type":"upload","data":"' + b"A" * 16 * MIB + b'"}'),
    "200 KB of numbers": frame(TEXT, b"[" + b"1.5e300," * 25_000 + b"0]"),
    "30 000 tiny frames": frame(TEXT, b"{") * 30_000,
    "30 000 refused frames": frame(TEXT, b"{}") * 10_000,
    "30 000 pings": frame(PING) * 30_000,
    "16 000 empty fragments": frame(TEXT, fin=False)
    + frame(CONT, fin=False) * 15_000
    + frame(CONT),
    "8 192 characters of mentions": frame(
        TEXT, json.dumps({"type": "message", "text": "@Batty`" * 1170}).encode()
    ),
}


@pytest.mark.parametrize("worst", WORST)
async def test_nothing_that_one_client_sends_holds_the_event_loop_up(
    tmp_path: Path, worst: str
) -> None:
    async def attack(server: Served) -> None:
        await _one(server, frame(TEXT, b'{"type":"message","text":"warm"}'))
        await _one(server, WORST[worst])

    await _hold_up(tmp_path, attack)


ANSWER_CHARS = 200_000
LISTENERS = 50
ANSWERS = {
    "words": "Bonjour à tous mes amis. ",
    "names": "@Batty ",
    "code": "` ",
    "lines": "Oui.\n",
    "thoughts": "<think>a</think>b ",
    "emoji": "\N{GRINNING FACE}",
}


@pytest.mark.parametrize("kind", ANSWERS)
async def test_no_long_answer_that_comes_in_one_piece_holds_the_event_loop_up(
    tmp_path: Path, kind: str
) -> None:
    unit = ANSWERS[kind]
    piece = json.dumps(unit * (ANSWER_CHARS // len(unit)), ensure_ascii=False)
    script = tmp_path / "script.toml"
    script.write_text(f"[[answer]]\ntokens = [{piece}]\n", encoding="utf-8")

    async def ask(server: Served) -> None:
        crowd = [await connect_raw(server.address) for _ in range(LISTENERS)]
        reading = [asyncio.create_task(each.close_code()) for each in crowd[1:]]
        await crowd[0].text('{"type":"message","text":"@Pharmacius dis tout"}')
        await _until_answered(crowd[0])
        assert await crowd[0].is_served()
        for task in reading:
            task.cancel()

    with running([PALABRE, "sim", "ollama", "--port", "0", "--script", script], tmp_path) as peer:
        await _hold_up(tmp_path, ask, peer.url)


async def _until_answered(client: RawSocket) -> None:
    async with asyncio.timeout(30):
        while True:
            opcode, payload = await client.read_frame()
            told = json.loads(payload) if opcode == TEXT else {}
            if told.get("type") == "message" and told["nick"] == "Pharmacius":
                return


async def _hold_up(tmp_path: Path, attack: Attack, ollama: str = "http://127.0.0.1:9") -> None:
    """Five tries: this machine's other programs hold the loop up too, but not each time."""
    lags_s: list[float] = []
    for number in range(5):
        with served(tmp_path / f"data{number}", ollama=ollama) as server:
            await attack(server)
            lags_s.append(server.figure("palabre_loop_lag_max_seconds"))
        if lags_s[-1] <= 0.05:
            return
    pytest.fail(f"held up for {[round(lag_s * 1000) for lag_s in lags_s]} ms")
