"""Who listens on `/ws`, and the messages that they get."""

import asyncio
import json
import struct

from starlette.websockets import WebSocket, WebSocketDisconnect

from palabre.sim.ledger import JsonObject

Message = tuple[str, JsonObject]

PREVIEW_IMAGE, PNG = 1, 2


class Hub:
    """The listeners by their client id; a new one replaces the old one of the same id."""

    def __init__(self) -> None:
        self._waiting: dict[str, asyncio.Queue[str | bytes]] = {}

    async def serve(
        self, socket: WebSocket, sid: str, greeting: list[tuple[str, JsonObject]]
    ) -> None:
        """Send *greeting* and then what comes, until the client leaves."""
        await socket.accept()
        waiting = self._waiting[sid] = asyncio.Queue()
        for event, data in greeting:
            self.send(event, data, sid)
        try:
            async with asyncio.TaskGroup() as group:
                sending = group.create_task(_send(socket, waiting))
                await _read_until_left(socket)
                sending.cancel()
        finally:
            if self._waiting.get(sid) is waiting:
                del self._waiting[sid]

    def send(self, event: str, data: JsonObject, sid: str | None) -> None:
        """Send a message to *sid*; None sends it to everybody."""
        self._put(json.dumps({"type": event, "data": data}), sid)

    def show(self, png: bytes, sid: str | None) -> None:
        """Send a picture, as ComfyUI sends previews: two numbers, then the file."""
        self._put(struct.pack(">II", PREVIEW_IMAGE, PNG) + png, sid)

    def _put(self, frame: str | bytes, sid: str | None) -> None:
        for listener, waiting in self._waiting.items():
            if sid in {None, listener}:
                waiting.put_nowait(frame)


async def _send(socket: WebSocket, waiting: "asyncio.Queue[str | bytes]") -> None:
    try:
        while True:
            frame = await waiting.get()
            if isinstance(frame, str):
                await socket.send_text(frame)
            else:
                await socket.send_bytes(frame)
    except WebSocketDisconnect:
        pass  # the reader notices it too, and ends both


async def _read_until_left(socket: WebSocket) -> None:
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass
