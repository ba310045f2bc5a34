"""Every answer has its headers and its time."""

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.websockets import WebSocket

from palabre.surfaces.http.answers import SECURITY_HEADERS, SecuredAnswers, TimedAnswers


async def _answer(request: Request) -> PlainTextResponse:
    if request.url.path == "/broken":
        raise ZeroDivisionError
    return PlainTextResponse("here", 202)


async def _refuse(websocket: WebSocket) -> None:
    await websocket.send_denial_response(PlainTextResponse("no", 403))


ROUTES = [Route("/", _answer), Route("/broken", _answer), WebSocketRoute("/ws", _refuse)]
APP = Starlette(routes=ROUTES)


def test_every_answer_keeps_other_sites_out() -> None:
    client = TestClient(SecuredAnswers(APP))
    for path in ("/", "/nowhere"):
        assert (
            SECURITY_HEADERS.items()
            <= {name: client.get(path).headers[name] for name in SECURITY_HEADERS}.items()
        )


def test_a_handshake_that_is_refused_does_so_too() -> None:
    client = TestClient(SecuredAnswers(APP))
    with pytest.raises(WebSocketDenialResponse) as refused, client.websocket_connect("/ws"):
        pass
    told = {**SECURITY_HEADERS, "Cache-Control": "no-store"}
    assert told.items() <= {name: refused.value.headers[name] for name in told}.items()


def test_what_depends_on_who_asks_is_kept_by_nobody() -> None:
    client = TestClient(SecuredAnswers(APP))
    assert client.get("/api/nowhere").headers["cache-control"] == "no-store"
    assert "cache-control" not in client.get("/").headers


def test_every_answer_is_noted_with_its_status() -> None:
    noted: list[tuple[int, float]] = []
    client = TestClient(TimedAnswers(APP, lambda *each: noted.append(each)))
    client.get("/")
    client.get("/nowhere")
    assert [status for status, _ in noted] == [202, 404]
    assert all(0 < took_s < 5 for _, took_s in noted)


def test_a_fault_is_noted_as_500() -> None:
    noted: list[int] = []
    client = TestClient(TimedAnswers(APP, lambda status, _: noted.append(status)))
    with pytest.raises(ZeroDivisionError):
        client.get("/broken")
    assert noted == [500]
