"""One house, from its first account to another database, by its commands and over HTTP alone."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.support.command import palabre
from tests.support.lasting_server import simulated_model
from tests.support.postgres import Postgres, postgres
from tests.support.served import QUIET, Served, served
from websockets.sync.client import ClientConnection, connect

pytestmark = pytest.mark.e2e

__all__ = ["postgres"]

SECRET = "dix lettres et un moulin"  # noqa: S105
QUESTION = "@Ada_Lovelace Que calcules-tu ?"
SCRIPT = """
[[answer]]
text = "Des nombres de Bernoulli, par le moulin."
times = 1
[[answer]]
text = "Rien du tout."
"""


class Command:
    """`palabre` with one data dir and database."""

    def __init__(self, home: Path, data_dir: Path, **variables: str) -> None:
        self._home = home
        self._variables = {"PALABRE_DATA_DIR": str(data_dir), **variables}

    def __call__(self, *arguments: str) -> Any:
        done = palabre(*arguments, "--json", cwd=self._home, **self._variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)


@contextmanager
def boss_of(server: Served) -> Iterator[httpx2.Client]:
    """Log in by the account that the command line made."""
    url = f"http://{server.address[0]}:{server.address[1]}"
    with httpx2.Client(base_url=url, timeout=30) as client:
        came = client.post("/api/session/login", json={"username": "boss", "password": SECRET})
        assert came.json()["data"]["role"] == "admin"
        yield client


def frame(socket: ClientConnection, kind: str, **fields: object) -> dict[str, Any]:
    """Return the next frame of *kind* that has *fields*."""
    while True:
        came = json.loads(socket.recv(timeout=30))
        if came["type"] == kind and fields.items() <= came.items():
            return dict(came)


def asked(server: Served) -> list[dict[str, Any]]:
    """Ask twice, say up to the first answer and down to the second; return both."""
    url = f"http://{server.address[0]}:{server.address[1]}/api/v2/feedback"
    answers = []
    with connect(f"{server.url}/ws?nick=lea") as socket:
        socket.send(json.dumps({"type": "uploadTicket"}))
        ticket = frame(socket, "uploadTicket")["ticket"]
        for vote in ("up", "down"):
            socket.send(json.dumps({"type": "message", "text": QUESTION}))
            answer = frame(socket, "message", nick="Ada_Lovelace")
            answers.append(answer)
            body = {
                "personaNick": answer["nick"],
                "response": answer["text"],
                "messageId": answer["replyId"],
                "vote": vote,
            }
            told = httpx2.post(url, json=body, headers={"x-upload-ticket": ticket})
            assert told.status_code == 200, told.text
    return answers


def pairs(boss: httpx2.Client) -> list[dict[str, str]]:
    return [json.loads(line) for line in boss.get("/api/v2/export/dpo").text.splitlines()]


def test_a_house_that_moves_into_postgres_keeps_all_that_must_last(
    tmp_path: Path, postgres: Postgres
) -> None:
    (tmp_path / "script.toml").write_text(SCRIPT)
    (tmp_path / "secret").write_text(SECRET)
    old = Command(tmp_path, tmp_path / "old")
    old("user", "add", "boss", "--role", "admin", "--password-file", "secret")
    with simulated_model(tmp_path / "script.toml") as model_url:
        with (
            served(tmp_path / "old", ollama=model_url, variables=QUIET) as server,
            boss_of(server) as boss,
        ):
            draft = {"name": "Ada Lovelace", "summary": "Tu calcules."}
            made = boss.post("/api/admin/personas", json=draft).json()["data"]
            first, second = asked(server)
            [pair] = pairs(boss)
            assert (pair["chosen"], pair["rejected"]) == (first["text"], second["text"])
            assert (pair["prompt"], pair["persona_id"]) == (QUESTION, made["id"])
            book = old("audit", "verify")
            old("backup", "b.zip")
        database = {"DATABASE_URL": postgres.new_database()}
        new = Command(tmp_path, tmp_path / "new", **database)
        new("restore", "b.zip")
        assert new("audit", "verify", "--expect-hash", book["lastHash"])["whole"] is True
        moved = served(tmp_path / "new", ollama=model_url, variables={**QUIET, **database})
        with moved as server, boss_of(server) as boss:
            found = boss.get("/api/v2/chat/search", params={"q": "moulin"}).json()["results"]
            assert [each["text"] for each in found] == [first["text"]]
            assert boss.get(f"/api/personas/{made['id']}").json()["data"]["name"] == draft["name"]
            assert pairs(boss) == [pair]
            entries = boss.get("/api/v2/admin/audit").json()["data"]["entries"]
            assert {"user.add", "persona.create"} <= {each["action"] for each in entries}
            assert boss.get("/api/v2/health").json()["data"]["storage"] == "postgres"
