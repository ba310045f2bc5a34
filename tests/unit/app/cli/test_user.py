import asyncio
import json
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from tests.support.command import exit_code

from palabre.adapters.secrets.argon2_passwords import Argon2PasswordHasher
from palabre.adapters.storage.sql.accounts import SqlAccountStore
from palabre.adapters.storage.sql.address import FILE_NAME, sqlite_address
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.sessions import SqlSessionStore
from palabre.core.auth.model import Account, Role, Session
from palabre.testing.clock import FrozenClock

GOOD, OTHER = "dix lettres au moins", "une autre phrase"
NOW = FrozenClock().now()


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PALABRE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("PALABRE_LANGUAGE", "en")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "data"


@pytest.fixture(autouse=True)
def typed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is typed when a password is asked."""
    left: list[str] = []

    def prompt(_question: str, **_: object) -> str:
        return left.pop(0)

    monkeypatch.setattr("typer.prompt", prompt)
    return left


@pytest.fixture(scope="module")
def inhabited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data dir: Lea is an editor with two sessions, Marc is a guest with one."""
    folder = tmp_path_factory.mktemp("inhabited")
    asyncio.run(_settle(folder))
    return folder


@pytest.fixture
def lea(inhabited: Path, data_dir: Path) -> Iterator[str]:
    data_dir.mkdir()
    shutil.copy(inhabited / FILE_NAME, data_dir)
    yield "Lea"
    assert sessions(data_dir)[2] == "Marc"


run = partial(exit_code, "user")


def add(*arguments: str, line: str = GOOD) -> int:
    Path("password.txt").write_text(f"{line}\n", encoding="utf-8")
    return run("add", *arguments, "--password-file", "password.txt")


def accounts(data_dir: Path) -> list[Account]:
    async def read() -> list[Account]:
        database = await Database.open(sqlite_address(data_dir))
        found = await SqlAccountStore(database).all()
        await database.aclose()
        return list(found)

    return asyncio.run(read())


def account(data_dir: Path) -> Account:
    [found] = accounts(data_dir)
    return found


def sessions(data_dir: Path) -> list[str | None]:
    """Return whose the three sessions of the fixture are; None for one that has ended."""
    return asyncio.run(_sessions(data_dir))


def proves(password: str, kept: Account) -> bool:
    return asyncio.run(Argon2PasswordHasher().verify(password, kept.password_hash))


async def _settle(data_dir: Path) -> None:
    database = await Database.open(sqlite_address(data_dir))
    hashed = await Argon2PasswordHasher().hash(GOOD)
    await SqlAccountStore(database).add(Account("Lea", Role.EDITOR, hashed, NOW))
    for number, name in enumerate(("Lea", "lea", "Marc")):
        session = Session(str(number), name, Role.EDITOR, NOW, NOW + timedelta(hours=1))
        await SqlSessionStore(database).add(session)
    await database.aclose()


async def _sessions(data_dir: Path) -> list[str | None]:
    database = await Database.open(sqlite_address(data_dir))
    found = [await SqlSessionStore(database).find(str(number)) for number in range(3)]
    await database.aclose()
    return [each.username if each else None for each in found]


@pytest.mark.parametrize("name", ["Batty", "BATTY"])
def test_a_name_of_a_persona_is_refused_before_a_password_is_asked(
    name: str, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("add", name) == 2
    told = capsys.readouterr().err
    assert "the persona Batty" in told
    assert "Choose another one." in told
    assert accounts(data_dir) == []


def test_an_account_is_added_with_the_password_that_is_typed_twice(
    data_dir: Path, typed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    typed += [GOOD, GOOD]
    assert run("add", "Lea", "--role", "operator") == 0
    told = capsys.readouterr()
    assert told.out == "Lea has an account now (operator).\n"
    assert told.err == ""
    assert (account(data_dir).username, account(data_dir).role) == ("Lea", Role.OPERATOR)
    assert proves(GOOD, account(data_dir))
    assert not proves(OTHER, account(data_dir))


def test_the_least_role_is_given_unless_another_is_named(data_dir: Path) -> None:
    assert add("lea") == 0
    assert account(data_dir).role is Role.VIEWER


def test_a_password_typed_otherwise_the_second_time_adds_nothing(
    data_dir: Path, typed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    typed += [GOOD, OTHER]
    assert run("add", "Lea") == 2
    assert "not the same" in capsys.readouterr().err
    assert accounts(data_dir) == []


def test_nine_characters_are_refused_and_the_limit_is_told(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add("Lea", line="neuf char") == 2
    assert "has 10 to 256 characters" in capsys.readouterr().err
    assert accounts(data_dir) == []


@pytest.mark.parametrize(("name", "words"), [("LEA", "already"), ("léa", "1 to 40")])
def test_a_name_that_cannot_be_had_is_refused_before_a_password_is_asked(
    lea: str, data_dir: Path, name: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("add", name) == 2
    assert words in capsys.readouterr().err
    assert account(data_dir).username == lea
    assert sessions(data_dir) == ["Lea", "lea", "Marc"]


def test_a_password_is_no_argument(data_dir: Path) -> None:
    assert run("add", "Lea", GOOD) == 2
    assert run("add", "Lea", "--password", GOOD) == 2
    assert accounts(data_dir) == []


def test_an_unknown_role_is_refused_and_the_four_are_told(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add("Lea", "--role", "owner") == 2
    told = capsys.readouterr().err
    assert all(role in told for role in ("viewer", "operator", "editor", "admin"))
    assert accounts(data_dir) == []


def test_a_password_file_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("add", "Lea", "--password-file", "nowhere.txt") == 2
    assert "nowhere.txt" in capsys.readouterr().err


def test_the_list_shows_names_and_roles_and_no_hashes(
    lea: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add("bob") == 0
    capsys.readouterr()
    assert run("list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["name", "role", "since"]
    assert [line.split()[:2] for line in lines[1:]] == [["bob", "viewer"], ["Lea", "editor"]]
    assert run("list", "--json") == 0
    out = capsys.readouterr().out
    listed = json.loads(out)
    assert [each["username"] for each in listed] == ["bob", "Lea"]
    assert set(listed[0]) == {"username", "role", "createdAt"}
    assert "argon2" not in out


def test_an_empty_list_says_how_to_begin(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list") == 0
    assert "palabre user add" in capsys.readouterr().out
    assert run("list", "--json") == 0
    assert json.loads(capsys.readouterr().out) == []


def test_a_new_password_replaces_the_old_one_and_ends_the_sessions_of_the_name(
    lea: str, data_dir: Path, typed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    typed += [OTHER, OTHER]
    assert run("passwd", "LEA") == 0
    assert capsys.readouterr().out == "Lea has another password now. Sessions ended: 2.\n"
    assert proves(OTHER, account(data_dir))
    assert not proves(GOOD, account(data_dir))
    assert sessions(data_dir) == [None, None, "Marc"]


def test_a_refused_password_leaves_the_old_one_and_the_sessions(
    lea: str, data_dir: Path, typed: list[str]
) -> None:
    typed += ["short", "short"]
    assert run("passwd", lea) == 2
    assert proves(GOOD, account(data_dir))
    assert sessions(data_dir) == ["Lea", "lea", "Marc"]


def test_a_new_role_ends_the_sessions_that_have_the_old_one(
    lea: str, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("role", "lea", "admin", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["username"], told["role"], told["endedSessions"]) == ("Lea", "admin", 2)
    assert account(data_dir).role is Role.ADMIN
    assert sessions(data_dir) == [None, None, "Marc"]


def test_a_removed_account_is_gone_with_its_sessions(
    lea: str, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("remove", "LEA", "--yes") == 0
    assert capsys.readouterr().out == "The account Lea is removed. Sessions ended: 2.\n"
    assert accounts(data_dir) == []
    assert sessions(data_dir) == [None, None, "Marc"]


def test_removing_asks_first_and_a_no_changes_nothing(
    lea: str, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def no(question: str, **_: object) -> bool:
        asked.append(question)
        raise SystemExit(1)

    monkeypatch.setattr("typer.confirm", no)
    assert run("remove", "lea") == 1
    assert asked == ["Remove the account Lea (editor) and end its sessions?"]
    assert account(data_dir).username == lea
    assert sessions(data_dir) == ["Lea", "lea", "Marc"]


@pytest.mark.parametrize("command", [("passwd",), ("role", "admin"), ("remove",)])
def test_a_name_without_account_is_told_before_anything_is_asked(
    lea: str, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(command[0], "Marc", *command[1:]) == 2
    assert "no account Marc" in capsys.readouterr().err


def test_french_is_spoken(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PALABRE_LANGUAGE", "fr")
    assert add("Lea") == 0
    assert "Lea a maintenant un compte (viewer)." in capfd.readouterr().out


def test_what_is_typed_at_a_terminal_is_not_shown(data_dir: Path, tmp_path: Path) -> None:
    controller, terminal = pty.openpty()
    program = "from palabre.app.cli.main import main; main(['user', 'add', 'Lea'])"
    environment = {"HOME": str(tmp_path), "PALABRE_DATA_DIR": str(data_dir), "LANG": "C.UTF-8"}
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=environment,
        start_new_session=True,
    ) as child:
        os.close(terminal)
        shown = b""
        for question in (b": ", b": "):
            shown += _until(controller, question)
            os.write(controller, f"{GOOD}\n".encode())
        shown += _until(controller, b"")
    os.close(controller)
    assert child.returncode == 0
    assert b"Lea a maintenant un compte" in shown
    assert GOOD.encode() not in shown
    assert proves(GOOD, account(data_dir))


@pytest.mark.parametrize("stdin", [b"", f"{GOOD}\n{GOOD}\n".encode()])
def test_without_a_terminal_the_option_for_a_file_is_named(
    data_dir: Path, tmp_path: Path, stdin: bytes
) -> None:
    program = "from palabre.app.cli.main import main; main(['user', 'add', 'Lea'])"
    environment = {"HOME": str(tmp_path), "PALABRE_DATA_DIR": str(data_dir), "LANG": "C.UTF-8"}
    ended = subprocess.run(
        [sys.executable, "-c", program],
        input=stdin,
        capture_output=True,
        env=environment,
        start_new_session=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (2, b"")
    told = ended.stderr.decode()
    assert "--password-file" in told
    assert "Warning" not in told
    assert "Aborted" not in told


def _until(controller: int, end: bytes) -> bytes:
    """Return what is shown until *end*, or all of it when *end* is nothing."""
    shown = b""
    while not end or not shown.endswith(end):
        try:
            shown += os.read(controller, 4096)
        except OSError:  # the other side is closed
            break
    return shown


def test_who_is_logged_in_is_listed_until_it_ends_or_is_ended(
    lea: str, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("sessions") == 0
    assert capsys.readouterr().out == "Nobody is logged in.\n"
    asyncio.run(_let_in(data_dir, "Zoe"))
    assert run("sessions") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["name", "role", "since", "until"]
    assert lines[1].split()[:2] == ["Zoe", "viewer"]
    assert run("sessions", "--json") == 0
    [told] = json.loads(capsys.readouterr().out)
    assert set(told) == {"username", "role", "createdAt", "expiresAt"}
    assert run("logout", "zoe") == 0
    assert capsys.readouterr().out == "Sessions of zoe that ended: 1.\n"
    assert run("logout", "zoe", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"username": "zoe", "endedSessions": 0}
    assert run("logout", "no name") == 2
    assert account(data_dir).username == lea


async def _let_in(data_dir: Path, name: str) -> None:
    database = await Database.open(sqlite_address(data_dir))
    far = NOW + timedelta(days=36_500)
    await SqlSessionStore(database).add(Session("9" * 64, name, Role.VIEWER, NOW, far))
    await database.aclose()
