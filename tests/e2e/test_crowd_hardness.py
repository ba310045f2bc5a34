"""Many at once, and the end of a server that they are on."""

import asyncio
import json
import resource
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.neighbours import ROOMS, STUCK_S, gone, neighbours
from tests.support.raw_socket import (
    TEXT,
    RawSocket,
    connect_raw,
    frame,
)
from tests.support.served import PALABRE, QUIET, Served, served

pytestmark = pytest.mark.e2e

MIB = 1024 * 1024


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    data_dir = tmp_path_factory.mktemp("hardness") / "data"
    with served(data_dir, rooms=ROOMS, variables=QUIET) as place:
        yield place


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
    assert people.never_waited()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    async with asyncio.timeout(30):
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
        assert await gone(server, let_in[0].address)
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
    assert people.never_waited()
    assert server.resident_bytes() - before < 100 * MIB


@pytest.mark.parametrize(
    "nick",
    ["%CC%81%CC%82%CC%83", "a%CC%81" * 30, "%E2%80%AEevil", "%00", "%ED%A0%80", "%FF", "x\t"],
)
async def test_a_nick_of_marks_is_replaced_or_composed(server: Served, nick: str) -> None:
    client = await connect_raw(server.address, f"/ws?nick={nick.replace(chr(9), '%09')}")
    welcome = (await client.until_text("Ton nick: "))["text"]
    given = welcome.split("Ton nick: ")[1].split("\n")[0]
    assert given.startswith("user_") or given in {"á" * 24, "x"}


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
        assert await asyncio.to_thread(server.process.wait, 60) == 0
        assert time.monotonic() - started_s < STUCK_S
        assert server.said() == (["last words"], ["last words"])
        assert not [line for line in server.lines if "Traceback" in line]


async def test_two_servers_never_share_a_data_directory(tmp_path: Path) -> None:
    with served(tmp_path / "data") as server:
        second = subprocess.run(  # noqa: ASYNC221 - nothing else runs here
            [PALABRE, "serve", "--port", "0", "--data-dir", server.data_dir],
            capture_output=True,
            text=True,
            timeout=60,
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
