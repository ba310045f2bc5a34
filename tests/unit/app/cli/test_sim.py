"""`palabre sim`: what it refuses."""

import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from typer.testing import CliRunner

from palabre.app.cli.sim import app
from palabre.app.listening import AddressBusyError


def test_a_script_with_mistakes_ends_with_code_2_and_tells_each(tmp_path: Path) -> None:
    script = tmp_path / "script.toml"
    script.write_text('tokens_per_s = -1\n[[answer]]\nwen = "x"\n', encoding="utf-8")
    result = CliRunner().invoke(app, ["ollama", "--script", str(script)])
    assert result.exit_code == 2
    assert "tokens_per_s: " in result.stderr
    assert "answer[1].wen: " in result.stderr


def test_a_script_that_is_not_there_ends_with_code_2(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["ollama", "--script", str(tmp_path / "none.toml")])
    assert result.exit_code == 2


def test_an_unknown_way_to_fail_ends_with_code_2_and_names_the_known_ones() -> None:
    result = CliRunner().invoke(app, ["ollama", "--fail", "explode"])
    assert result.exit_code == 2
    assert "silent" in result.stderr


@pytest.mark.parametrize(
    ("peer", "mistake", "known"),
    [
        ("comfyui", "step = 1", "perhaps step_s"),
        ("searxng", "json = true", "json: "),
        ("speech", "chars_per_s = 0", "chars_per_s: "),
    ],
)
def test_every_peer_tells_the_mistakes_of_its_script(
    tmp_path: Path, peer: str, mistake: str, known: str
) -> None:
    script = tmp_path / "script.toml"
    script.write_text(mistake, encoding="utf-8")
    result = CliRunner().invoke(app, [peer, "--script", str(script)])
    assert result.exit_code == 2
    assert known in result.stderr


@pytest.mark.parametrize(
    ("arguments", "path", "status"),
    [
        (["comfyui", "--step-s", "0"], "/system_stats", 200),
        (["searxng", "--no-json"], "/search?q=x&format=json", 403),
        (["searxng", "--fail", "busy"], "/search?q=x", 429),
        (["speech", "--delay-s", "0"], "/health", 200),
    ],
)
def test_every_peer_runs_prints_its_address_and_obeys_its_options(
    arguments: list[str], path: str, status: int
) -> None:
    command = [sys.executable, "-m", "palabre", "sim", *arguments, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            answer = httpx2.get(process.stdout.readline().strip() + path)
        finally:
            process.send_signal(signal.SIGINT)
    assert answer.status_code == status
    assert process.returncode == 128 + signal.SIGINT


@pytest.mark.parametrize("peer", ["ollama", "comfyui", "searxng", "speech"])
def test_a_port_that_cannot_be_is_a_wrong_call(peer: str) -> None:
    refused = CliRunner().invoke(app, [peer, "--port", "65536"])
    assert refused.exit_code == 2
    assert "65535" in refused.stderr


@pytest.mark.parametrize("peer", ["ollama", "comfyui", "searxng", "speech"])
def test_help_shows_examples(peer: str) -> None:
    result = CliRunner().invoke(app, [peer, "--help"])
    assert f"palabre sim {peer}" in result.output


def test_a_port_that_is_taken_is_told_instead_of_ending_without_a_word() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(AddressBusyError) as told:
        port = str(taken.getsockname()[1])
        CliRunner().invoke(app, ["ollama", "--port", port], catch_exceptions=False)
    assert told.value.data["port"] == int(port)
