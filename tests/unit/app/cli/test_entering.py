"""Logging in before the client opens."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from palabre.app.cli.chat import app
from palabre.app.cli.entering import enter
from palabre.surfaces.rooms.tui.login import Login
from palabre.surfaces.rooms.tui.words import Words

WORDS = Words("en")
WRONG = "This name and this password do not go together."


@contextmanager
def door(
    refusal: str = "invalid_credentials", right: str = "right"
) -> Iterator[tuple[str, list[str]]]:
    """A server that lets in by one password; yields its route and the passwords it was sent."""
    sent: list[str] = []

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            sent.append(body.get("password", ""))
            given = {"ok": True, "data": {"id": "abc"}}
            answer = given if sent[-1] == right else {"ok": False, "error": refusal}
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *_args: object) -> None:
            """Tell nobody."""

    with HTTPServer(("127.0.0.1", 0), Door) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/api/session/login", sent
        server.shutdown()
        thread.join()


def test_after_a_wrong_password_another_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    with door() as (url, sent):
        enter(Login(url, "lea", "wrong"), lambda: "right", WORDS)
    assert sent == ["wrong", "right"]
    assert capsys.readouterr().err.count(WRONG) == 1


def test_after_three_wrong_passwords_it_ends(capsys: pytest.CaptureFixture[str]) -> None:
    typed = iter(["2", "3", "4"])
    with door() as (url, sent), pytest.raises(typer.Exit) as ended:
        enter(Login(url, "lea", "1"), lambda: next(typed), WORDS)
    assert ended.value.exit_code == 1
    assert sent == ["1", "2", "3"]
    assert capsys.readouterr().err.count(WRONG) == 3


def test_where_nobody_can_answer_the_first_refusal_ends_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with door() as (url, sent), pytest.raises(typer.Exit) as ended:
        enter(Login(url, "lea", "wrong"), None, WORDS)
    assert ended.value.exit_code == 1
    assert sent == ["wrong"]
    assert WRONG in capsys.readouterr().err


def test_another_password_is_no_answer_to_too_many_logins(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with door("rate_limited") as (url, sent), pytest.raises(typer.Exit) as ended:
        enter(Login(url, "lea", "wrong"), lambda: "right", WORDS)
    assert ended.value.exit_code == 1
    assert sent == ["wrong"]
    assert "Wait a minute" in capsys.readouterr().err


def test_a_server_that_is_not_there_is_left_to_the_client(
    capsys: pytest.CaptureFixture[str],
) -> None:
    enter(Login("http://127.0.0.1:9/api/session/login", "lea", "right"), None, WORDS)
    assert capsys.readouterr().err == ""


def test_a_wrong_password_in_a_file_ends_the_command_before_the_screen_opens(
    tmp_path: Path,
) -> None:
    file = tmp_path / "password"
    file.write_text("wrong\n")
    with door() as (url, sent):
        server = url.removesuffix("/api/session/login")
        arguments = [server, "--user", "lea", "--password-file", str(file), "--lang", "en"]
        result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 1
    assert sent == ["wrong"]
    assert result.stderr.startswith(WRONG)
