"""The rooms' entrance: who is let in, and what is told without a room."""

import asyncio
from collections.abc import Mapping

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient, WebSocketDenialResponse

from palabre.core.chat.commands import Call, Command
from palabre.core.chat.members import Member
from palabre.core.chat.ports import Sink
from palabre.core.chat.visitors import Visitor
from palabre.kernel.ids import ChannelName, Nick
from palabre.kernel.text import verbatim
from palabre.surfaces.rooms.http import RoomsEntrance
from palabre.surfaces.rooms.sinks import QueueSink
from palabre.testing.clock import FrozenClock
from palabre.testing.ids import CountingIds
from palabre.testing.telemetry import RecordingTelemetry


async def _nothing(call: Call) -> None:
    return None


class EchoingChat:
    """A room that says back what it is told, and evicts whoever says `go`."""

    def __init__(self) -> None:
        self.inside: list[str | None] = []
        self.commands: Mapping[str, Command] = {
            "b": Command("b", _nothing, rank=2, summary=verbatim("second")),
            "a": Command("a", _nothing, rank=2, usage=verbatim("<x>"), summary=verbatim("first")),
        }

    async def enter(self, sink: Sink, visitor: Visitor) -> Member:
        wished = visitor.wished
        self.inside.append(wished)
        self.write(sink, f"hello {wished}")
        return Member(Nick(wished or "user_1"), ChannelName("#here"), sink)

    def leave(self, member: Member) -> None:
        self.inside.pop()

    async def post(self, member: Member, words: str) -> list[asyncio.Task[None]]:
        if words == "go":
            member.sink.evict()
        else:
            self.write(member.sink, words)
        return []

    def write(self, sink: Sink, words: str) -> None:
        assert isinstance(sink, QueueSink)
        assert sink.write(words.encode(), 1)


class Place:
    def __init__(self, max_connections: int = 1) -> None:
        self.chat, self.telemetry = EchoingChat(), RecordingTelemetry()
        entrance = RoomsEntrance(
            chat=self.chat,  # type: ignore[arg-type]
            telemetry=self.telemetry,
            clock=FrozenClock(),
            ids=CountingIds(),
            allowed_origins=("https://a.example",),
            max_connections=max_connections,
        )
        http = FastAPI()
        http.include_router(entrance.router())
        self.client = TestClient(http)

    def refused(self, origin: str | None = None) -> tuple[int, str]:
        headers = {"origin": origin} if origin else {}
        with (
            pytest.raises(WebSocketDenialResponse) as told,
            self.client.websocket_connect("/ws", headers=headers),
        ):
            pass
        return told.value.status_code, told.value.json()["error"]


def test_a_client_is_let_in_by_the_nick_it_wishes_for_and_is_answered() -> None:
    place = Place()
    with place.client.websocket_connect("/ws?nick=ana") as socket:
        assert socket.receive_text() == "hello ana"
        socket.send_json({"type": "message", "text": "bonjour"})
        assert socket.receive_text() == "bonjour"
    assert place.chat.inside == []


def test_a_client_that_the_room_gives_up_is_told_to_come_again() -> None:
    place = Place()
    with place.client.websocket_connect("/ws") as socket:
        socket.receive_text()
        socket.send_json({"type": "message", "text": "go"})
        assert socket.receive() == {"type": "websocket.close", "code": 1013, "reason": ""}


def test_a_page_of_another_site_is_refused_unless_it_is_allowed() -> None:
    place = Place()
    assert place.refused("https://evil.example") == (403, "origin")
    assert place.telemetry.counts["sockets_refused", "origin"] == 1
    headers = {"origin": "https://a.example"}
    with place.client.websocket_connect("/ws?nick=ana", headers=headers) as socket:
        assert socket.receive_text() == "hello ana"


def test_a_full_house_refuses_until_somebody_leaves() -> None:
    place = Place(max_connections=1)
    with place.client.websocket_connect("/ws"):
        assert place.refused() == (503, "full")
        assert place.telemetry.counts["sockets_refused", "full"] == 1
    with place.client.websocket_connect("/ws?nick=bob") as socket:
        assert socket.receive_text() == "hello bob"


def test_commands_are_listed_in_the_order_of_the_help() -> None:
    assert Place().client.get("/api/v2/commands?lang=en").json() == {
        "ok": True,
        "data": [
            {"name": "a", "usage": "<x>", "summary": "first"},
            {"name": "b", "usage": "", "summary": "second"},
        ],
    }


def test_the_page_and_its_parts_are_served() -> None:
    client = Place().client
    assert "<html" in client.get("/").text
    assert "web/js/admin/main.js" in client.get("/admin").text
    assert client.get("/web/js/main.js").status_code == 200
    assert client.get("/web/../http.py").status_code == 404
