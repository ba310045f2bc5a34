"""What the checks of `palabre doctor` are told of this machine."""

import socket
from pathlib import Path

from palabre.app.settings import Settings
from palabre.app.settings.sections import ModelsSettings, OllamaSettings, ServerSettings
from palabre.app.surroundings import ThisMachine


async def test_a_taken_port_is_found(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        machine = ThisMachine(Settings(server=ServerSettings(port=port), data_dir=tmp_path))
        state = await machine.port()
    assert not state.ok
    assert str(port) in state.detail
    assert (await machine.port()).ok


async def test_a_data_dir_below_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert not (await ThisMachine(Settings(data_dir=tmp_path / "file" / "data")).data_dir()).ok
    assert (await ThisMachine(Settings(data_dir=tmp_path / "new" / "data")).data_dir()).ok
    assert not (tmp_path / "new").exists()


async def test_weights_of_the_users_own_are_looked_for(tmp_path: Path) -> None:
    gguf = tmp_path / "own.gguf"
    settings = Settings.model_validate({"models": {"embedded": {"model": str(gguf)}}})
    assert not (await ThisMachine(settings).weights()).ok
    gguf.write_bytes(b"GGUF")
    assert (await ThisMachine(settings).weights()).ok


async def test_no_weights_are_found_in_an_empty_cache(tmp_path: Path) -> None:
    assert not (await ThisMachine(Settings(cache_dir=tmp_path)).weights()).ok


async def test_an_ollama_that_is_not_there_is_told_with_its_address(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    settings = Settings(models=ModelsSettings(ollama=OllamaSettings(url=url)), data_dir=tmp_path)
    state = await ThisMachine(settings).ollama()
    assert not state.ok
    assert url in state.detail
