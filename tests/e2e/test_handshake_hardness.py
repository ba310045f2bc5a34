"""Handshakes that are too long, too many-headed or never finished, on a real socket."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.raw_socket import ask, connect_raw, handshake
from tests.support.served import Served, served

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("handshakes") / "data") as place:
        yield place


@pytest.mark.parametrize("size", [8300, 20_000])
async def test_cookies_of_other_programs_on_this_machine_keep_nobody_out(
    server: Served, size: int
) -> None:
    client = await connect_raw(server.address, headers={"Cookie": "a=" + "b" * size})
    assert await client.is_served()


MANY = {f"X-{number}": "a" for number in range(300)}


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/ws", MANY, b" 431 "),
        ("/ws", {"X-Long": "a" * 8300}, b" 431 "),
        ("/ws?nick=" + "a" * 8300, {}, b" 414 "),
    ],
    ids=["300 headers", "a long header", "a long address"],
)
async def test_a_handshake_that_is_too_long_is_refused_with_its_status(
    server: Served, path: str, headers: dict[str, str], status: bytes
) -> None:
    answer = await ask(server.address, handshake(server.address, path, headers))
    assert status in answer.split(b"\r\n")[0]


async def test_unfinished_and_refused_handshakes_do_not_spoil_the_end(tmp_path: Path) -> None:
    with served(tmp_path / "data") as server:
        whole = handshake(server.address, "/ws", {})
        _, half = await asyncio.open_connection(*server.address)
        half.write(whole[: len(whole) // 2])
        _, refused = await asyncio.open_connection(*server.address)
        refused.write(handshake(server.address, "/ws", MANY))
        await asyncio.sleep(0.2)
        assert await asyncio.to_thread(server.stop) == 0
        assert not [line for line in server.lines if "Traceback" in line]
