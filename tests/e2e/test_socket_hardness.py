"""Clients that mean harm, against a server as its users run it: everybody else notices nothing."""

import asyncio
import json
import os
import resource
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.raw_socket import (
    BINARY,
    CLOSE,
    CONT,
    PING,
    PONG,
    TEXT,
    RawSocket,
    ask,
    connect_raw,
    frame,
)
from tests.support.served import PALABRE, Served, served
from websockets.asyncio.client import connect

pytestmark = pytest.mark.e2e

MIB = 1024 * 1024
ROOMS = {"rate_limit_messages": 10_000, "slow_client_grace_s": 1}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("hardness") / "data", rooms=ROOMS) as place:
        yield place


class Neighbours:
    """Two people who talk to one another and note how long each word takes."""

    def __init__(self, ana: Any, bob: Any) -> None:
        self._ana = ana
        self._bob = bob
        self.delays_s: list[float] = []

    async def talk(self) -> None:
        while True:
            await self.say(f"word {len(self.delays_s)}")
            await asyncio.sleep(0.02)

    async def say(self, words: str) -> None:
        started_s = time.perf_counter()
        await self._ana.send(json.dumps({"type": "message", "text": words}))
        async with asyncio.timeout(5):
            while json.loads(await self._bob.recv()).get("text") != words:
                pass
        self.delays_s.append(time.perf_counter() - started_s)


@asynccontextmanager
async def neighbours(server: Served) -> AsyncIterator[Neighbours]:
    """Let two people talk while the block runs, in a channel that nobody else floods."""
    names = [f"{name}{time.monotonic_ns() % 10**9}" for name in ("ana", "bob")]
    async with (
        connect(f"{server.url}/ws?nick={names[0]}", max_queue=None) as ana,
        connect(f"{server.url}/ws?nick={names[1]}", max_queue=None) as bob,
    ):
        for each in (ana, bob):
            await each.send(json.dumps({"type": "command", "text": f"/join #{names[0]}"}))
            while "Canal change" not in json.loads(await each.recv()).get("text", ""):
                pass
        talk = Neighbours(ana, bob)
        talking = asyncio.create_task(talk.talk())
        try:
            yield talk
        finally:
            talking.cancel()
            await asyncio.gather(talking, return_exceptions=True)
        await talk.say("still here")


async def gone(server: Served, address: tuple[str, int], within_s: float) -> bool:
    """Say whether the server's end of *address* is really closed within *within_s*."""
    port = address[1]
    deadline_s = time.monotonic() + within_s
    while time.monotonic() < deadline_s:
        if all(remote[1] != port for remote in server.sockets()):
            return True
        await asyncio.sleep(0.05)
    return False


# --- frames -----------------------------------------------------------------------------------

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
        assert await gone(server, hostile.address, 6)


async def test_broken_text_and_goodbye_in_one_breath_are_no_fault_of_the_server(
    server: Served,
) -> None:
    hostile = await connect_raw(server.address)
    await hostile.send(frame(TEXT, b"\xff") + frame(CLOSE, b"\x03\xe8"))
    assert await hostile.close_code() in {1000, 1007}
    assert await gone(server, hostile.address, 6)
    assert not [line for line in server.lines if "Traceback" in line or "Exception" in line]


async def test_a_file_of_exactly_12_mib_fits_a_frame(server: Served) -> None:
    client = await connect_raw(server.address)
    data = b"A" * (16 * MIB)  # 12 MiB in base64
    upload = b'{"type":"upload","filename":"a.png","mimeType":"image/png","size":12582912,"data":"'
    await client.text(upload + data + b'"}')
    answer = await client.until_text("Upload")
    assert answer["text"].startswith("Upload rejeté — cette version")


async def test_a_message_that_never_ends_is_not_kept(server: Served) -> None:
    before = server.resident_bytes()
    hostile = await connect_raw(server.address)
    async with neighbours(server):
        with pytest.raises((ConnectionError, TimeoutError)):
            for number in range(64):
                await hostile.send(frame(CONT if number else TEXT, b"x" * MIB, fin=False))
        assert await gone(server, hostile.address, 6)
    assert server.resident_bytes() - before < 100 * MIB


async def test_unfinished_messages_of_many_do_not_fill_the_memory(server: Served) -> None:
    hostiles = [await connect_raw(server.address) for _ in range(8)]
    async with neighbours(server):
        for hostile in hostiles:
            try:
                await hostile.send(frame(TEXT, b"x" * (30 * MIB), claim_bytes=31 * MIB))
            except ConnectionError:
                break
        await asyncio.sleep(0.2)
        refused = [each for each in hostiles if await gone(server, each.address, 0.1)]
        assert refused
        assert len(refused) < len(hostiles)
    for hostile in hostiles:
        hostile.hang_up()
    assert server.figure("palabre_loop_lag_max_seconds") < 5


# --- clients that do not read -----------------------------------------------------------------


async def test_who_pings_and_never_reads_is_cut(server: Served) -> None:
    hostile = await connect_raw(server.address, receive_buffer_bytes=4096)
    before = server.resident_bytes()
    async with neighbours(server) as people:
        with pytest.raises((ConnectionError, TimeoutError)):
            async with asyncio.timeout(10):
                while True:
                    await hostile.send(frame(PING, b"x" * 125) * 1000)
        assert await gone(server, hostile.address, 2)
    assert max(people.delays_s) < 1
    assert server.resident_bytes() - before < 16 * MIB


async def test_who_never_reads_is_given_up_and_the_others_never_wait(server: Served) -> None:
    sleeper, late = [
        await connect_raw(server.address, f"/ws?nick={name}", receive_buffer_bytes=4096)
        for name in ("sleeper", "late")
    ]
    async with (
        connect(f"{server.url}/ws?nick=carl", max_queue=None) as carl,
        neighbours(server) as people,
    ):
        before = server.resident_bytes()
        parted: set[str] = set()
        for number in range(2000):
            words = f"{number} " + "x" * 4000
            await carl.send(json.dumps({"type": "message", "text": words}))
            async with asyncio.timeout(5):
                while True:
                    told = json.loads(await carl.recv())
                    if told["type"] == "part":
                        parted.add(told["nick"])
                    if told.get("text") == words:
                        break
            if parted >= {"sleeper", "late"}:
                break
        assert parted >= {"sleeper", "late"}
        assert server.resident_bytes() - before < 5 * MIB
        assert await late.close_code() == 1013
        assert await gone(server, sleeper.address, 3)
    assert max(people.delays_s) < 1
    assert server.figure("palabre_listeners_evicted_total") >= 2


@pytest.mark.parametrize("farewell", [frame(CLOSE, b"\x03\xe8"), frame(TEXT, b"\xff"), frame(0x3)])
async def test_who_leaves_without_reading_what_waits_for_it_is_let_go(
    server: Served, farewell: bytes
) -> None:
    hostile = await connect_raw(server.address, receive_buffer_bytes=4096)
    fill = json.dumps({"type": "command", "text": "/" + "x" * 8000}).encode()
    await hostile.send(frame(TEXT, fill) * 100)  # each is told back: "Commande inconnue: ..."
    await asyncio.sleep(0.3)
    await hostile.send(farewell)
    assert await gone(server, hostile.address, 9)


async def test_a_peer_that_answers_no_ping_is_gone_in_time(tmp_path: Path) -> None:
    quick = {"ping_interval_s": 0.5, "ping_timeout_s": 0.5}
    with served(tmp_path / "data", rooms=quick) as server:
        mute = await connect_raw(server.address, "/ws?nick=mute", receive_buffer_bytes=4096)
        async with connect(f"{server.url}/ws?nick=alive", max_queue=None) as alive:
            assert not await gone(server, mute.address, 0.3)
            assert await gone(server, mute.address, 2)
            async with asyncio.timeout(2):
                while json.loads(await alive.recv())["type"] != "part":
                    pass
            await asyncio.sleep(1.5)
            await alive.send(json.dumps({"type": "command", "text": "/who"}))
            async with asyncio.timeout(2):
                assert json.loads(await alive.recv())["users"][0] == "alive"


# --- many -------------------------------------------------------------------------------------


async def test_a_thousand_connections_from_one_address_disturb_nobody(server: Served) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    crowd: list[RawSocket] = []
    async with neighbours(server) as people:
        for _ in range(20):
            crowd += await asyncio.gather(*(connect_raw(server.address) for _ in range(50)))
            await asyncio.sleep(0.05)
        assert len(crowd) == 1000
        assert await crowd[-1].is_served("/channels")
        for client in crowd:
            client.hang_up()
        await asyncio.sleep(0.5)
    assert max(people.delays_s) < 2
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    async with asyncio.timeout(10):
        while len(server.sockets()) > 20:  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.1)


async def test_more_connections_than_allowed_are_refused_however_fast_they_come(
    tmp_path: Path,
) -> None:
    with served(tmp_path / "data", rooms={"max_connections": 10}) as server:
        tries = (connect_raw(server.address) for _ in range(60))
        outcomes = await asyncio.gather(*tries, return_exceptions=True)
        let_in = [each for each in outcomes if isinstance(each, RawSocket)]
        refusals = [str(each) for each in outcomes if not isinstance(each, RawSocket)]
        assert len(let_in) == 10
        assert all(" 503 " in each for each in refusals)
        let_in[0].hang_up()
        assert await gone(server, let_in[0].address, 2)
        await connect_raw(server.address)


async def test_two_thousand_channels_are_only_names(server: Served) -> None:
    wanderer = await connect_raw(server.address)
    before = server.resident_bytes()
    async with neighbours(server) as people:
        for number in range(2000):
            await wanderer.text(json.dumps({"type": "command", "text": f"/join #c{number}"}))
            await wanderer.until_text(f"Canal change: #c{number}")
        await wanderer.text('{"type":"command","text":"/channels"}')
        page = (await wanderer.until_text("Canaux actifs"))["text"]
    assert "#c1999 (1 connecte)" in page
    assert "#c1998" not in page
    assert max(people.delays_s) < 1
    assert server.resident_bytes() - before < 20 * MIB


@pytest.mark.parametrize(
    "nick",
    ["%CC%81%CC%82%CC%83", "a%CC%81" * 30, "%E2%80%AEevil", "%00", "%ED%A0%80", "%FF", "x\t"],
)
async def test_a_nick_of_marks_is_replaced_or_composed(server: Served, nick: str) -> None:
    client = await connect_raw(server.address, f"/ws?nick={nick.replace(chr(9), '%09')}")
    welcome = (await client.until_text("Ton nick: "))["text"]
    given = welcome.split("Ton nick: ")[1].split("\n")[0]
    assert given.startswith("user_") or given in {"á" * 24, "x"}


# --- HTTP -------------------------------------------------------------------------------------


async def status_and_body(server: Served, request: str) -> tuple[int, dict[str, str], bytes]:
    answer = await ask(server.address, request.replace("\n", "\r\n").encode() + b"\r\n\r\n")
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    return int(first.split(" ")[1]), headers, body


async def test_a_host_that_is_not_ours_is_refused(server: Served) -> None:
    for path in ("/", "/metrics", "/web/"):
        status, _, _ = await status_and_body(server, f"GET {path} HTTP/1.1\nHost: evil.example")
        assert status == 400
    with pytest.raises(ConnectionRefusedError, match=" 400 "):
        await connect_raw(server.address, headers={"Host": "evil.example"})
    status, _, _ = await status_and_body(server, "GET /healthz HTTP/1.1\nHost: localhost:1")
    assert status == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://[", "https://127.0.0.1", "file://", "", "http://a@b"],
)
async def test_a_page_of_another_site_is_refused(server: Served, origin: str) -> None:
    with pytest.raises(ConnectionRefusedError, match=" 403 "):
        await connect_raw(server.address, headers={"Origin": origin})


async def test_our_own_page_and_clients_that_are_no_page_are_let_in(server: Served) -> None:
    host, port = server.address
    own = await connect_raw(server.address, headers={"Origin": f"http://{host}:{port}"})
    assert await own.is_served()
    assert await (await connect_raw(server.address)).is_served()


@pytest.mark.parametrize(
    ("request_line", "status", "code"),
    [
        ("GET /nowhere HTTP/1.1", 404, "not_found"),
        ("GET /api/v2/nowhere HTTP/1.1", 404, "not_found"),
        ("GET /web/nowhere.js HTTP/1.1", 404, "not_found"),
        ("POST /healthz HTTP/1.1", 405, "method_not_allowed"),
        ("GET /api/v2/commands?lang=xx HTTP/1.1", 422, "validation_error"),
    ],
)
async def test_http_errors_are_json(
    server: Served, request_line: str, status: int, code: str
) -> None:
    request = f"{request_line}\nHost: localhost\nContent-Length: 0"
    answered, headers, body = await status_and_body(server, request)
    assert answered == status
    assert headers["content-type"] == "application/json"
    assert json.loads(body)["error"] == code
    assert json.loads(body)["ok"] is False


@pytest.mark.parametrize(
    "path",
    [
        "/web/../socket.py",
        "/web/%2e%2e/socket.py",
        "/web/..%2fsocket.py",
        "/web/%2e%2e%2fsocket.py",
        "/web/..%5csocket.py",
        "/web//etc/passwd",
        "/web/%00",
        "/web/js/../../http.py",
        "/../../../../etc/passwd",
    ],
)
async def test_the_page_has_no_way_out_of_its_folder(server: Served, path: str) -> None:
    status, _, body = await status_and_body(server, f"GET {path} HTTP/1.1\nHost: localhost")
    assert status in {400, 404}
    assert b"import" not in body
    assert b"root:" not in body


async def test_the_page_is_served_with_headers_that_keep_others_out(server: Served) -> None:
    status, headers, _ = await status_and_body(server, "GET / HTTP/1.1\nHost: localhost")
    assert status == 200
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


# --- the end ----------------------------------------------------------------------------------


async def test_a_stop_closes_with_1012_and_writes_what_was_said(tmp_path: Path) -> None:
    with served(tmp_path / "data", rooms=ROOMS) as server:
        ana = await connect_raw(server.address, "/ws?nick=ana")
        mute = await connect_raw(server.address, "/ws?nick=mute", receive_buffer_bytes=4096)
        fill = json.dumps({"type": "command", "text": "/" + "x" * 8000}).encode()
        await mute.send(frame(TEXT, fill) * 60)
        await ana.text('{"type":"message","text":"last words"}')
        await ana.until_text("last words")
        started_s = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        assert await ana.close_code() == 1012
        assert await asyncio.to_thread(server.process.wait, 10) == 0
        assert time.monotonic() - started_s < 2.5
        assert server.said() == (["last words"], ["last words"])
        assert not [line for line in server.lines if "Traceback" in line]


async def test_two_servers_never_share_a_data_directory(tmp_path: Path) -> None:
    with served(tmp_path / "data") as server:
        second = subprocess.run(  # noqa: ASYNC221 - nothing else runs here
            [PALABRE, "serve", "--port", "0", "--data-dir", server.data_dir],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert second.returncode != 0
        assert str(server.process.pid) in second.stderr
        assert "Traceback" not in second.stderr
        assert await (await connect_raw(server.address)).is_served()


async def test_more_open_files_than_the_usual_limit_are_allowed(tmp_path: Path) -> None:
    limited = ("sh", "-c", 'ulimit -S -n 64; exec "$@"', "sh")
    with served(tmp_path / "data", before=limited) as server:
        crowd = [await connect_raw(server.address) for _ in range(100)]
        assert await crowd[-1].is_served()


# --- the event loop ---------------------------------------------------------------------------

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
    """Three tries: this machine's other programs hold the loop up too, but not each time."""
    lags_s: list[float] = []
    for number in range(3):
        with served(tmp_path / f"data{number}") as server:
            await _one(server, frame(TEXT, b'{"type":"message","text":"warm"}'))
            await _one(server, WORST[worst])
            lags_s.append(server.figure("palabre_loop_lag_max_seconds"))
        if lags_s[-1] <= 0.05:
            return
    pytest.fail(f"held up for {[round(lag_s * 1000) for lag_s in lags_s]} ms")
