import os
from pathlib import Path

import pytest

from palabre.app.cli.password import (
    PasswordFileError,
    PasswordFileLinesError,
    PasswordsDifferError,
    ask_password,
    read_password,
)


def answers(monkeypatch: pytest.MonkeyPatch, *typed: str) -> list[str]:
    """Answer what is asked without showing it; return the questions."""
    left, asked = list(typed), []

    def prompt(question: str, *, hide_input: bool = False, **_: object) -> str:
        assert hide_input
        asked.append(question)
        return left.pop(0)

    monkeypatch.setattr("typer.prompt", prompt)
    return asked


def test_it_asks_twice_without_showing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = answers(monkeypatch, "dix lettres", "dix lettres")
    assert ask_password("lea", "en") == "dix lettres"
    assert asked == ["Password of lea (it is not shown)", "The same again"]


def test_two_that_differ_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, "dix lettres", "dix Lettres")
    with pytest.raises(PasswordsDifferError):
        ask_password("lea", "fr")


@pytest.mark.parametrize(
    ("content", "password"),
    [
        (b"dix lettres\n", "dix lettres"),
        (b"dix lettres\r\n", "dix lettres"),
        (b"\xef\xbb\xbf\xc3\xa9t\xc3\xa9 1234567", "été 1234567"),
        (b"  spaces stay  ", "  spaces stay  "),
        (b"", ""),
    ],
)
def test_a_file_holds_one_line(tmp_path: Path, content: bytes, password: str) -> None:
    (tmp_path / "p").write_bytes(content)
    assert read_password(tmp_path / "p") == password


@pytest.mark.parametrize("content", [b"one\ntwo\n", b"one\rtwo", b"\xff\xfe", b"x" * 8193])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "p").write_bytes(content)
    with pytest.raises(PasswordFileLinesError):
        read_password(tmp_path / "p")


def test_a_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    with pytest.raises(PasswordFileError) as caught:
        read_password(tmp_path)
    assert caught.value.data == {"path": str(tmp_path), "detail": os.strerror(21)}
    with pytest.raises(PasswordFileError):
        read_password(tmp_path / "nowhere")
