"""Every route of the description, asked by schemathesis, on both databases.

What it finds: an answer of 500 or more, a status or a type that is not described, a body that is
not of the described shape. All errors below `/api` are described as the one envelope.
"""

import json
import os
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.support.databases import KINDS
from tests.support.lasting_server import simulated_model
from tests.support.peers import PEERS
from tests.support.postgres import running_postgres
from tests.support.served import QUIET, Served, served

FOUND = PEERS / "bin" / "schemathesis"
SCHEMATHESIS = str(FOUND) if FOUND.is_file() else shutil.which("schemathesis")

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(
        SCHEMATHESIS is None, reason=f"no schemathesis: make {PEERS.name}/.installed"
    ),
]

TOKEN = "a token"  # noqa: S105
WITHIN_S = 300
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
NOT_ASKED = ("/api/session/logout", "/api/admin/sessions/{fingerprint}")
"""They would end the session that asks."""

ANSWER = '[[answer]]\ntext = "Bonjour."\n'


@pytest.fixture(params=KINDS)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    (tmp_path / "script.toml").write_text(ANSWER)
    variables = {**QUIET, "ADMIN_TOKEN": TOKEN}
    with ExitStack() as stack:
        if request.param == "postgres":
            variables["DATABASE_URL"] = stack.enter_context(running_postgres()).new_database()
        model_url = stack.enter_context(simulated_model(tmp_path / "script.toml"))
        place = served(tmp_path / "data", ollama=model_url, variables=variables)
        yield stack.enter_context(place)


def logged_in(server: Served) -> str:
    url = f"http://{server.address[0]}:{server.address[1]}/api/session/login"
    body = json.dumps({"username": "boss", "role": "admin", "token": TOKEN}).encode()
    asked = urllib.request.Request(url, body, {"content-type": "application/json"})
    with urllib.request.urlopen(asked, timeout=30) as answer:  # noqa: S310 - ours
        return str(json.load(answer)["data"]["id"])


def test_nothing_that_can_be_asked_is_answered_by_a_fault(server: Served, tmp_path: Path) -> None:
    assert SCHEMATHESIS is not None
    host, port = server.address
    command = [SCHEMATHESIS, "run", f"http://{host}:{port}/openapi.json"]
    command += ["-H", f"x-session-id: {logged_in(server)}", "--max-examples", "10"]
    command += ["--checks", ",".join(CHECKS), "--phases", "examples,coverage,fuzzing"]
    for path in NOT_ASKED:
        command += ["--exclude-path", path]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:]
    faults = [line for line in server.lines if "request failed" in line or "Traceback" in line]
    assert faults == []
