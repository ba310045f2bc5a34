"""The rooms over HTTP: the socket, the page, and what clients may ask."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, WebSocket
from fastapi.params import Depends
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel
from starlette.responses import FileResponse, JSONResponse
from starlette.websockets import WebSocketDisconnect

from palabre.core.auth.errors import SessionRequiredError
from palabre.core.chat.commands import Command, ranked
from palabre.core.chat.service import ChatService
from palabre.core.chat.visitors import Visitor
from palabre.core.telemetry.ports import Telemetry
from palabre.kernel.clock import Clock
from palabre.kernel.ids import Ids
from palabre.surfaces.http.envelope import Envelope, told
from palabre.surfaces.http.gate import OPEN
from palabre.surfaces.http.origin import is_allowed_origin
from palabre.surfaces.rooms.door import SESSION_CLOSED, Door, Visit
from palabre.surfaces.rooms.frame_budget import FrameBudget
from palabre.surfaces.rooms.pacing import Pacer
from palabre.surfaces.rooms.sinks import QueueSink, SocketSink, UnreadLimits
from palabre.surfaces.rooms.socket import Line, RoomSocket, SocketRules
from palabre.surfaces.rooms.tickets import Tickets
from palabre.surfaces.rooms.uploads import UploadRoute
from palabre.surfaces.rooms.websocket_protocol import peer_of
from palabre.texts import LANGUAGES, Language, say

WEB = Path(__file__).parent / "web"

MAX_UNREAD_BYTES = 1024 * 1024 * 1024
"""Larger forms are refused by their size alone; of others, `sent_file` says what is too large."""

FRAMES_AT_ONCE = 16
"""Frames of one client that are taken before the others' turn comes."""


class CommandShown(BaseModel):
    """A slash command.

    Attributes:
        usage: Its arguments; empty without any.
    """

    name: str
    usage: str
    summary: str


@dataclass(frozen=True, slots=True)
class RoomsEntrance:
    """What it takes to let clients in.

    Attributes:
        door: Who may come in; None: anybody, and nobody has a session.
        uploaders: Who may hand in files, with a ticket of theirs.
        allowed_origins: Other sites whose pages may connect.
        max_connections: More clients at once are refused.
        language: For clients that do not say theirs.
    """

    chat: ChatService
    telemetry: Telemetry
    clock: Clock
    ids: Ids
    door: Door | None = None
    uploaders: Depends = OPEN
    language: Language = "fr"
    allowed_origins: Collection[str] = ()
    max_connections: int = 2000
    rules: SocketRules = field(default_factory=SocketRules)
    unread: UnreadLimits = field(default_factory=UnreadLimits)
    _tickets: Tickets = field(default_factory=Tickets, init=False, compare=False)
    _budget: FrameBudget = field(default_factory=FrameBudget, init=False, compare=False)
    _pacer: Pacer = field(default_factory=Pacer, init=False, compare=False)
    _inside: set[WebSocket] = field(default_factory=set, init=False, compare=False)

    @property
    def tickets(self) -> Tickets:
        """Who is connected, by their tickets."""
        return self._tickets

    def router(self) -> APIRouter:
        """Return the rooms' routes."""
        router = APIRouter()
        router.add_api_websocket_route("/ws", self._socket)
        router.add_api_route(
            "/api/v2/commands",
            self._commands,
            methods=["GET"],
            summary="List the slash commands",
            response_model=Envelope[list[CommandShown]],
            dependencies=[OPEN],
        )
        uploads = UploadRoute(self.chat, self._tickets, self.language)
        router.add_api_route(
            "/api/v2/uploads",
            uploads.take,
            methods=["POST"],
            status_code=202,
            summary="Hand in a file, with the ticket of a connection",
            dependencies=[self.uploaders],
            max_body_size=MAX_UNREAD_BYTES,
        )
        router.add_api_route("/", _page, methods=["GET"], include_in_schema=False)
        router.add_api_route("/admin", _admin_page, methods=["GET"], include_in_schema=False)
        router.mount("/web", StaticFiles(directory=WEB), name="web")
        return router

    async def _socket(
        self,
        websocket: WebSocket,
        nick: Annotated[str | None, Query()] = None,
        lang: Annotated[str | None, Query()] = None,
    ) -> None:
        if await self._turned_away(websocket):
            return
        visit = await self._visit(websocket, nick)
        if visit is None:
            return
        self._inside.add(websocket)
        try:
            await self._let_in(websocket, visit, lang)
        finally:
            self._inside.discard(websocket)

    async def _visit(self, websocket: WebSocket, nick: str | None) -> Visit | None:
        """Return the visit of a client; None if it is told that it needs a session.

        Pages cannot see why a handshake is refused: theirs is accepted, and closed with a code.
        """
        if self.door is None:
            return Visit(Visitor(nick))
        try:
            return await self.door.admit(websocket, nick)
        except SessionRequiredError as refused:
            if "origin" not in websocket.headers:
                await self._deny(websocket, 401, refused.code)
                return None
            self.telemetry.count("sockets_refused", label=refused.code)
            await websocket.accept()
            await websocket.close(SESSION_CLOSED, refused.code)
            return None

    async def _let_in(self, websocket: WebSocket, visit: Visit, lang: str | None) -> None:
        await websocket.accept()
        language = self._known(lang)
        peer = peer_of(websocket.scope)
        if peer is not None:
            sink = SocketSink(peer, language, self.unread, self._pacer)
            await self._room_socket(sink).serve(_Frames(websocket), visit)
        else:
            await self._serve_through_asgi(websocket, QueueSink(language, self.unread), visit)

    async def _turned_away(self, websocket: WebSocket) -> bool:
        headers = websocket.headers
        if not is_allowed_origin(headers.get("origin"), headers.get("host"), self.allowed_origins):
            return await self._deny(websocket, 403, "origin")
        if len(self._inside) >= self.max_connections:
            return await self._deny(websocket, 503, "full")
        return False

    async def _deny(self, websocket: WebSocket, status: int, label: str) -> bool:
        self.telemetry.count("sockets_refused", label=label)
        body = {"ok": False, "error": label}
        await websocket.send_denial_response(JSONResponse(body, status))
        return True

    def _room_socket(self, sink: Line) -> RoomSocket:
        return RoomSocket(
            self.chat,
            sink,
            telemetry=self.telemetry,
            clock=self.clock,
            ids=self.ids,
            rules=self.rules,
            tickets=self._tickets,
            budget=self._budget,
        )

    async def _serve_through_asgi(
        self, websocket: WebSocket, sink: QueueSink, visit: Visit
    ) -> None:
        async with asyncio.TaskGroup() as tasks:
            sender = tasks.create_task(_send_all(websocket, sink))
            await self._room_socket(sink).serve(_Frames(websocket), visit)
            if sink.queue.empty():
                sender.cancel()

    async def _commands(self, lang: Annotated[str | None, Query()] = None) -> Any:
        """List the slash commands as `/help` does."""
        language = self._known(lang)
        return told([_described(each, language) for each in ranked(self.chat.commands)])

    def _known(self, lang: str | None) -> Language:
        return next((each for each in LANGUAGES if each == lang), self.language)


class _Frames:
    """The frames that a client sends, from ASGI."""

    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket
        self._received = 0

    async def receive(self) -> str | bytes | None:
        self._received += 1
        if self._received % FRAMES_AT_ONCE == 0:
            await asyncio.sleep(0)  # frames that are here already are taken without waiting
        message = await self._websocket.receive()
        if message["type"] == "websocket.disconnect":
            return None
        data: str | bytes | None = message.get("text")
        return message["bytes"] if data is None else data


async def _send_all(websocket: WebSocket, sink: QueueSink) -> None:
    try:
        while (line := await sink.queue.get()) is not None:
            await websocket.send_text(line)
        await websocket.close(*sink.closing)
    except WebSocketDisconnect:
        return


async def _page() -> FileResponse:
    return FileResponse(WEB / "index.html")


async def _admin_page() -> FileResponse:
    return FileResponse(WEB / "admin.html")


def _described(command: Command, language: Language) -> CommandShown:
    usage = say(command.usage, language) if command.usage else ""
    return CommandShown(name=command.name, usage=usage, summary=say(command.about, language))
