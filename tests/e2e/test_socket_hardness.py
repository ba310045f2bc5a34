"""Clients that mean harm, against a server as its users run it: everybody else notices nothing."""

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.neighbours import CLOSED_WITHIN_S, ROOMS, gone, neighbours
from tests.support.raw_socket import (
    BINARY,
    CLOSE,
    CONT,
    PING,
    PONG,
    TEXT,
    RawSocket,
    connect_raw,
    frame,
)
from tests.support.served import QUIET, Served, served
from websockets.asyncio.client import ClientConnection, connect

from palabre.surfaces.rooms.sinks import UnreadLimits
from palabre.surfaces.rooms.websocket_protocol import MAX_UNREAD_PONG_BYTES

pytestmark = pytest.mark.e2e

MIB = 1024 * 1024
KERNEL_BYTES = 32 * MIB
"""More than the buffers of both ends of a connection hold."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    data_dir = tmp_path_factory.mktemp("hardness") / "data"
    with served(data_dir, rooms=ROOMS, variables=QUIET) as place:
        yield place


SHAPES: dict[str, bytes] = {
    "nothing": frame(TEXT),
    "no json": frame(TEXT, b"bonjour"),
    "a number": frame(TEXT, b"5"),
    "a list": frame(TEXT, b"[]"),
    "no type": frame(TEXT, b"{}"),
    "half a frame": frame(TEXT, b'{"type":"message","text":"'),
    "a raw NUL": frame(TEXT, b'{"type":"message","text":"a\0b"}'),
    "an escaped NUL": frame(TEXT, b'{"type":"message","text":"a\\u0000b"}'),
    "a lone surrogate": frame(TEXT, b'{"type":"message","text":"\\ud800"}'),
    "a lone low surrogate": frame(TEXT, b'{"type":"message","text":"\\udc00x"}'),
    "surrogates in UTF-8, binary": frame(BINARY, b'{"type":"message","text":"\xed\xa0\x80"}'),
    "10 000 levels": frame(TEXT, b"[" * 10_000 + b"]" * 10_000),
    "10 000 levels of objects": frame(TEXT, b'{"a":' * 10_000 + b"1" + b"}" * 10_000),
    "10 000 levels inside": frame(
        TEXT, b'{"type":"message","text":"a","x":' + b"[" * 10_000 + b"]" * 10_000 + b"}"
    ),
    "binary rubbish": frame(BINARY, os.urandom(1000)),
    "a binary frame": frame(BINARY, b'{"type":"command","text":"/channels"}'),
    "too long a text": frame(TEXT, b'{"type":"message","text":"' + b"a" * 8193 + b'"}'),
    "no text": frame(TEXT, b'{"type":"message","text":""}'),
    "blanks": frame(TEXT, b'{"type":"command","text":"   "}'),
    "a slash": frame(TEXT, b'{"type":"command","text":"/"}'),
    "twice the same key": frame(TEXT, b'{"type":"message","type":"upload","text":5}'),
    "a size beyond numbers": frame(TEXT, b'{"type":"upload","size":1e999999999}'),
    "a size of 10 000 digits": frame(TEXT, b'{"type":"upload","size":' + b"9" * 10_000 + b"}"),
    "16 MiB and one": frame(TEXT, b'{"type":"message","text":"' + b"a" * (16 * MIB) + b'"}'),
    "17 MiB of upload": frame(TEXT, b'{"type":"upload","data":"' + b"A" * (17 * MIB) + b'"}'),
    "17 MiB in fragments": b"".join(
        frame(CONT if n else TEXT, b"x" * MIB, fin=n == 16) for n in range(17)
    ),
    "32 MiB": frame(TEXT, b"x" * (32 * MIB)),
    "an unasked pong": frame(PONG, b"hello"),
    "words after a ping in their midst": frame(TEXT, b'{"type":"command",', fin=False)
    + frame(PING, b"x")
    + frame(CONT, b'"text":"/channels"}'),
}


@pytest.mark.parametrize("shape", SHAPES)
async def test_a_frame_of_a_wrong_shape_costs_nobody_the_connection(
    server: Served, shape: str
) -> None:
    hostile = await connect_raw(server.address)
    async with neighbours(server):
        await hostile.send(SHAPES[shape])
        assert await hostile.is_served()
    await hostile.send(frame(CLOSE, b"\x03\xe8"))


BROKEN: dict[str, tuple[bytes, int]] = {
    "no UTF-8": (frame(TEXT, b"\xff\xfe"), 1007),
    "no UTF-8 over two fragments": (frame(TEXT, b"\xc3", fin=False) + frame(CONT, b"("), 1007),
    "surrogates in UTF-8": (frame(TEXT, b'"\xed\xa0\x80"'), 1007),
    "no mask": (frame(TEXT, b"{}", masked=False), 1002),
    "a reserved bit": (bytes([0xC1, 0x80, 0, 0, 0, 0]), 1002),
    "an unknown opcode": (frame(0x3), 1002),
    "a long ping": (frame(PING, b"x" * 126), 1002),
    "a fragmented ping": (frame(PING, b"x", fin=False), 1002),
    "an end without a beginning": (frame(CONT, b"x"), 1002),
    "a beginning within a message": (frame(TEXT, b"x", fin=False) + frame(TEXT, b"x"), 1002),
    "a closing code that may not be sent": (frame(CLOSE, b"\x03\xed"), 1002),
    "33 MiB, of which only the header comes": (frame(TEXT, claim_bytes=33 * MIB), 1009),
    "2^63 bytes, of which only the header comes": (frame(TEXT, claim_bytes=2**63 - 1), 1009),
    "empty fragments without end": (
        frame(TEXT, fin=False) + frame(CONT, fin=False) * 20_000,
        1009,
    ),
}


@pytest.mark.parametrize("fault", BROKEN)
async def test_a_broken_protocol_is_closed_with_its_code(server: Served, fault: str) -> None:
    raw, code = BROKEN[fault]
    hostile = await connect_raw(server.address)
    async with neighbours(server):
        await hostile.send(raw)
        assert await hostile.close_code() == code
        assert await gone(server, hostile.address)


async def test_broken_text_and_goodbye_in_one_breath_are_no_fault_of_the_server(
    server: Served,
) -> None:
    hostile = await connect_raw(server.address)
    await hostile.send(frame(TEXT, b"\xff") + frame(CLOSE, b"\x03\xe8"))
    assert await hostile.close_code() in {1000, 1007}
    assert await gone(server, hostile.address)
    assert not [line for line in server.lines if "Traceback" in line or "Exception" in line]


async def test_a_file_of_exactly_12_mib_fits_a_frame(server: Served) -> None:
    client = await connect_raw(server.address)
    data = b"A" * (16 * MIB)  # 12 MiB in base64
    upload = b'{"type":"upload","filename":"a.png","mimeType":"image/png","size":12582912,"data":"'
    await client.text(upload + data + b'"}')
    answer = await client.until_text("Extension")
    assert answer["text"] == "Extension non reconnue sans signature binaire: .png"


async def test_a_message_that_never_ends_is_not_kept(server: Served) -> None:
    """A gigabyte is sent: kept or not is told apart whatever else moves the memory in use."""
    before = server.resident_bytes()
    hostile = await connect_raw(server.address)
    async with neighbours(server):
        with pytest.raises(ConnectionError):
            for number in range(1024):
                await hostile.send(frame(CONT if number else TEXT, b"x" * MIB, fin=False))
        assert await gone(server, hostile.address)
    assert server.resident_bytes() - before < 256 * MIB


async def _one_is_gone(server: Served, hostiles: list[RawSocket]) -> None:
    async with asyncio.timeout(CLOSED_WITHIN_S):
        while {each.address[1] for each in hostiles} <= {port for _, port in server.sockets()}:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def test_unfinished_messages_of_many_do_not_fill_the_memory(server: Served) -> None:
    hostiles = [await connect_raw(server.address) for _ in range(8)]
    async with neighbours(server):
        for hostile in hostiles:
            try:
                await hostile.send(frame(TEXT, b"x" * (30 * MIB), claim_bytes=31 * MIB))
            except ConnectionError:
                break
        await _one_is_gone(server, hostiles)
        await hostiles[0].send(b"x" * MIB)
        assert await hostiles[0].is_served()
    for hostile in hostiles:
        hostile.hang_up()
    assert server.figure("palabre_loop_lag_max_seconds") < 5


async def test_who_pings_and_never_reads_is_cut(server: Served) -> None:
    """Each ping is as long as the answer that waits: what was taken bounds what is kept."""
    hostile = await connect_raw(server.address, receive_buffer_bytes=4096)
    pings = frame(PING, b"x" * 125) * 1000
    sent_bytes = 0
    async with neighbours(server) as people:
        with pytest.raises(ConnectionError):
            while sent_bytes < 1024 * MIB:
                await hostile.send(pings)
                sent_bytes += len(pings)
        assert await gone(server, hostile.address)
    assert sent_bytes < MAX_UNREAD_PONG_BYTES + KERNEL_BYTES
    assert people.never_waited()


async def test_who_never_reads_is_given_up_and_the_others_never_wait(server: Served) -> None:
    sleeper, late = [
        await connect_raw(server.address, f"/ws?nick={name}", receive_buffer_bytes=4096)
        for name in ("sleeper", "late")
    ]
    async with (
        connect(f"{server.url}/ws?nick=carl", max_queue=None) as carl,
        neighbours(server) as people,
    ):
        told_bytes = await _told_before_they_part(carl, {"sleeper", "late"})
        waking = asyncio.create_task(late.close_code())
        words = len(people.delays_s)
        assert await gone(server, sleeper.address)
        assert len(people.delays_s) > words + 3, "it was waited for in its time of grace"
        assert await waking == 1013
    assert UnreadLimits().max_bytes < told_bytes < UnreadLimits().max_bytes + KERNEL_BYTES
    assert people.never_waited()
    assert server.figure("palabre_listeners_evicted_total") >= 2


async def _told_before_they_part(carl: ClientConnection, sleepers: set[str]) -> int:
    """Let *carl* talk until the *sleepers* have parted; return how much everybody was told."""
    told_bytes = 0
    for number in range(20_000):
        words = f"{number} " + "x" * 4000
        await carl.send(json.dumps({"type": "message", "text": words}))
        async with asyncio.timeout(30):
            while (told := json.loads(raw := await carl.recv())).get("text") != words:
                sleepers = sleepers - ({told["nick"]} if told["type"] == "part" else set())
                told_bytes += len(raw) if "seq" in told else 0
        told_bytes += len(raw)
        if not sleepers:
            return told_bytes
    pytest.fail(f"{sleepers} have not parted, {told_bytes} bytes behind")


@pytest.mark.parametrize("farewell", [frame(CLOSE, b"\x03\xe8"), frame(TEXT, b"\xff"), frame(0x3)])
async def test_who_leaves_without_reading_what_waits_for_it_is_let_go(
    server: Served, farewell: bytes
) -> None:
    hostile = await connect_raw(server.address, receive_buffer_bytes=4096)
    fill = json.dumps({"type": "command", "text": "/" + "x" * 8000}).encode()
    await hostile.send(frame(TEXT, fill) * 100)  # each is told back: "Commande inconnue: ..."
    await asyncio.sleep(0.3)
    await hostile.send(farewell)
    assert await gone(server, hostile.address)


async def test_a_peer_that_answers_no_ping_is_gone_in_time(tmp_path: Path) -> None:
    quick = {"ping_interval_s": 0.5, "ping_timeout_s": 2}
    with served(tmp_path / "data", rooms=quick) as server:
        mute = await connect_raw(server.address, "/ws?nick=mute", receive_buffer_bytes=4096)
        async with connect(f"{server.url}/ws?nick=alive", max_queue=None) as alive:
            assert not await gone(server, mute.address, 0.3)
            assert await gone(server, mute.address)
            async with asyncio.timeout(30):
                while json.loads(await alive.recv())["type"] != "part":
                    pass
            await asyncio.sleep(3)  # longer than who answers no ping is let be
            await alive.send(json.dumps({"type": "command", "text": "/who"}))
            async with asyncio.timeout(30):
                assert json.loads(await alive.recv())["users"][0] == "alive"
