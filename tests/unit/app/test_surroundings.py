"""What the checks of `palabre doctor` are told of this machine."""

import asyncio
import socket
from pathlib import Path

import pytest

from palabre.app.settings import Settings
from palabre.app.surroundings import ThisMachine
from palabre.core.telemetry.checkup import State
from palabre.testing.ollama import running


def test_settings_are_told_as_they_are_in_the_file(tmp_path: Path) -> None:
    machine = ThisMachine(
        Settings.model_validate({"data_dir": tmp_path, "storage": {"database_url": "secret"}})
    )
    assert machine.setting("server.port") == 3333
    assert machine.setting("models.embedded.enabled") is True
    assert machine.setting("data_dir") == str(tmp_path)
    assert machine.setting("personas.dir") is None
    assert "secret" not in str(machine.setting("storage.database_url"))
    with pytest.raises(AttributeError):
        machine.setting("server.prot")


async def test_a_taken_port_is_found() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        state = await ThisMachine(Settings()).can_listen(address)
    assert not state.ok
    assert address in state.detail
    assert (await ThisMachine(Settings()).can_listen(address)).ok
    assert (await ThisMachine(Settings()).can_listen("[::1]:0")).detail == "[::1]:0"


async def test_a_folder_below_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    machine = ThisMachine(Settings())
    assert not (await machine.can_write(str(tmp_path / "file" / "data"))).ok
    assert (await machine.can_write(str(tmp_path / "new" / "data"))).ok
    assert not (tmp_path / "new").exists()


async def test_weights_of_the_users_own_are_looked_for(tmp_path: Path) -> None:
    gguf = tmp_path / "own.gguf"
    settings = Settings.model_validate({"models": {"embedded": {"model": str(gguf)}}})
    assert not (await ThisMachine(settings).weights()).ok
    gguf.write_bytes(b"GGUF")
    assert (await ThisMachine(settings).weights()).ok


async def test_no_weights_are_found_in_an_empty_cache(tmp_path: Path) -> None:
    assert not (await ThisMachine(Settings(cache_dir=tmp_path)).weights()).ok


async def test_a_server_that_is_not_there_is_told_with_its_address_and_the_reason() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    state = await ThisMachine(Settings()).answers(url)
    assert not state.ok
    assert state.detail.startswith(f"{url} (")
    assert len(state.detail) > len(url) + 5


@pytest.mark.parametrize(("body", "ours"), [('{"ok":true}', True), ("[]", False), ("<p>", False)])
async def test_palabre_is_known_by_its_health(body: str, ours: bool) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        found = body if head.startswith(b"GET /healthz ") else ""
        length = f"content-length: {len(found)}"
        writer.write(f"HTTP/1.1 200 OK\r\n{length}\r\n\r\n{found}".encode())
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        state = await ThisMachine(Settings()).is_palabre(address)
    assert state == State(ours, f"http://{address}")
    assert not (await ThisMachine(Settings()).is_palabre(address)).ok


async def test_a_server_that_is_there_answers() -> None:
    async with running('[[model]]\nname = "a"\n') as url:
        assert await ThisMachine(Settings()).answers(url) == State(ok=True, detail=url)
