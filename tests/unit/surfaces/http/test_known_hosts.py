from collections.abc import Collection

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from palabre.surfaces.http.known_hosts import KnownHosts

APP = Starlette(routes=[Route("/", lambda _request: PlainTextResponse("here"))])
NAMES = ("127.0.0.1", "localhost", "[::1]", "Chat.Example")


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("LOCALHOST:3333", 200),
        ("127.0.0.1:80", 200),
        ("[::1]", 200),
        ("[::1]:3333", 200),
        ("chat.example", 200),
        ("evil.example", 400),
        ("localhost.evil.example", 400),
        ("evil.example:localhost", 400),
        ("[evil]", 400),
        ("*", 400),
        ("", 400),
    ],
)
def test_only_the_servers_own_names_are_answered(host: str, status: int) -> None:
    answer = TestClient(KnownHosts(APP, NAMES)).get("/", headers={"host": host})
    assert answer.status_code == status
    if status == 400:
        assert answer.json() == {"ok": False, "error": "unknown_host"}


def test_a_star_stands_for_all() -> None:
    answer = TestClient(KnownHosts(APP, ["*"])).get("/", headers={"host": "any.example"})
    assert answer.text == "here"


@pytest.mark.parametrize("names", [NAMES, ["*"]])
def test_of_two_hosts_none_is_believed(names: Collection[str]) -> None:
    hosts = [("host", "localhost"), ("host", "evil.example")]
    assert TestClient(KnownHosts(APP, names)).get("/", headers=hosts).status_code == 400
