"""`palabre doctor`: every check, with its fix, in both languages."""

import json
import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner

from palabre.app.cli.doctor import app, run_checks
from palabre.app.settings import Settings
from palabre.app.settings.sections import ModelsSettings, OllamaSettings, ServerSettings
from palabre.app.surroundings import ThisMachine
from palabre.core.telemetry.checkup import Check, State
from palabre.features import doctor
from palabre.kernel.registry import discover
from palabre.testing.surroundings import GivenSurroundings
from palabre.texts import LANGUAGES, say

CHECKS = list(discover(doctor, "CHECK", Check))


async def test_all_is_good_where_all_is_well() -> None:
    findings = await run_checks(GivenSurroundings())
    assert sorted(findings) == ["data_dir", "ollama", "personas", "port", "weights"]
    assert {finding.level for finding in findings.values()} == {"good"}


@pytest.mark.parametrize("name", CHECKS)
async def test_what_is_not_well_comes_with_its_fix_in_every_language(name: str) -> None:
    machine = GivenSurroundings({name: State(ok=False, detail="because")})
    finding = (await run_checks(machine))[name]
    assert finding.level != "good"
    assert finding.fix is not None
    assert all(
        say(finding.fix, language) and say(finding.found, language) for language in LANGUAGES
    )


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


def test_json_is_all_that_is_printed(tmp_path: Path) -> None:
    file = tmp_path / "palabre.toml"
    file.write_text('data_dir = "data"\n[server]\nport = 0\n')
    result = CliRunner().invoke(app, ["--json", "--config", str(file)])
    assert {row["check"] for row in json.loads(result.stdout)} == set(CHECKS)
    assert result.exit_code == 0


def test_a_failure_exits_with_1(tmp_path: Path) -> None:
    file = tmp_path / "palabre.toml"
    file.write_text('data_dir = "palabre.toml/data"\n[server]\nport = 0\n')
    result = CliRunner().invoke(app, ["--config", str(file)])
    assert result.exit_code == 1
