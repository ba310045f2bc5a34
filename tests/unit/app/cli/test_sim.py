"""`palabre sim`: what it refuses."""

import socket
from pathlib import Path

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


def test_a_port_that_is_taken_is_told_instead_of_ending_without_a_word() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(AddressBusyError) as told:
        port = str(taken.getsockname()[1])
        CliRunner().invoke(app, ["ollama", "--port", port], catch_exceptions=False)
    assert told.value.data["port"] == int(port)
