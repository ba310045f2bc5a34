"""`palabre chat`: what it refuses before it connects."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from palabre.app.cli.chat import app
from palabre.app.cli.password import PasswordFileError


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["ftp://there"], "ftp://there"),
        (["--nick", "not a nick"], "not a nick"),
        (["--lang", "xx"], "xx"),
    ],
)
def test_what_cannot_work_is_a_wrong_call_and_named(arguments: list[str], named: str) -> None:
    result = CliRunner().invoke(app, [*arguments, "--plain"])
    assert result.exit_code == 2
    assert named in result.stderr


def test_in_a_pipe_a_server_that_is_not_there_is_a_failure_that_names_it_at_once() -> None:
    result = CliRunner().invoke(app, ["http://127.0.0.1:9", "--plain", "--lang", "en"])
    assert result.exit_code == 1
    assert 'No server answers at http://127.0.0.1:9. "palabre serve"' in result.stderr
    assert "F5" not in result.stderr


def test_a_password_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "nowhere.txt"
    result = CliRunner().invoke(app, ["--user", "lea", "--password-file", str(missing), "--plain"])
    assert isinstance(result.exception, PasswordFileError)
    assert result.exception.data["path"] == str(missing)


def test_a_password_that_others_could_read_on_the_way_is_a_reason_to_be_careful() -> None:
    arguments = ["http://chat.example.org", "--user", "lea", "--nick", "no nick", "--lang", "en"]
    result = CliRunner().invoke(app, arguments, input="secret\n")
    assert "without https" in result.stderr
    assert "Password of lea" in result.stderr
    assert "secret" not in result.output
    safe = ["https://chat.example.org", "--user", "lea", "--nick", "no nick", "--lang", "en"]
    assert "without https" not in CliRunner().invoke(app, safe, input="secret\n").stderr
