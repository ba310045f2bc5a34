"""`/mcp`: programs that speak MCP, over streamable HTTP, with a key of the scope `mcp`."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from palabre.core.auth.api_keys import ApiKey
from palabre.core.auth.api_keys import Scope as KeyScope
from palabre.kernel.errors import PalabreError
from palabre.kernel.ids import Ids
from palabre.kernel.text import text
from palabre.surfaces.http.key_gate import KeyGate
from palabre.surfaces.http.origin import is_allowed_origin
from palabre.surfaces.http.program_bodies import in_time, json_of
from palabre.surfaces.http.program_errors import STATUSES, BodyUnreadableError, headers_of
from palabre.surfaces.mcp.desk import Desk
from palabre.texts import say

MAX_BODY_BYTES = 1024 * 1024

INVALID_REQUEST, PARSE_ERROR = -32600, -32700
"""Of JSON-RPC."""


@dataclass(frozen=True, slots=True)
class McpEntrance:
    """The application that serves `/mcp`; the SDK is imported at the first request.

    Attributes:
        allowed_origins: Other sites whose pages may ask.
    """

    desk: Desk
    gate: KeyGate
    ids: Ids
    allowed_origins: Collection[str] = ()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        headers = request.headers
        if not is_allowed_origin(headers.get("origin"), headers.get("host"), self.allowed_origins):
            await self._refusal(403, "mcp.origin")(scope, receive, send)
            return
        if request.url.path.rstrip("/") != "/mcp":
            await self._refusal(404, "api.not_found")(scope, receive, send)
            return
        if request.method != "POST":
            refusal = self._refusal(405, "mcp.post")
            refusal.headers["Allow"] = "POST"
            await refusal(scope, receive, send)
            return
        try:
            async with self.gate.place(request, KeyScope.MCP) as key:
                async with in_time():
                    body, _ = await json_of(request, MAX_BODY_BYTES)
                await self._serve(key, request, body, send)
        except tuple(STATUSES) as error:
            await self._refused(error)(scope, receive, send)

    async def _serve(self, key: ApiKey, request: Request, body: bytes, send: Send) -> None:
        server = await asyncio.to_thread(_server)
        calls = server.ToolCalls(self.desk, key.id, self.ids)
        again = _again(body, request.receive)
        await server.serve_request(calls, self.desk.version, request.scope, again, send)

    def _refused(self, error: PalabreError) -> JSONResponse:
        status = next(STATUSES[kind] for kind in type(error).mro() if kind in STATUSES)
        code = PARSE_ERROR if isinstance(error, BodyUnreadableError) else INVALID_REQUEST
        answer = _refusal(status, say(error.text, self.desk.language), code)
        answer.headers.update(headers_of(error))
        return answer

    def _refusal(self, status: int, code: str) -> JSONResponse:
        return _refusal(status, say(text(code), self.desk.language))


def _server() -> ModuleType:
    return import_module("palabre.surfaces.mcp.server")


def _again(body: bytes, receive: Receive) -> Receive:
    """Return where *body* comes from once more, and then what *receive* gives."""
    whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return whole.pop() if whole else await receive()

    return receive_again


def _refusal(status: int, message: str, code: int = INVALID_REQUEST) -> JSONResponse:
    error = {"code": code, "message": message}
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, status)
