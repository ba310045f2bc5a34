"""`/mcp`: programs that speak MCP, over streamable HTTP, with a key of the scope `mcp`."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from palabre.core.auth.api_keys import Scope as KeyScope
from palabre.core.auth.key_errors import (
    HouseFullError,
    KeyRefusedError,
    KeyRequiredError,
    ScopeMissingError,
    TooManyAtOnceError,
    TooManyRequestsError,
)
from palabre.kernel.errors import PalabreError, StorageError
from palabre.kernel.ids import Ids
from palabre.kernel.text import text
from palabre.surfaces.http.key_gate import KeyGate
from palabre.surfaces.http.origin import is_allowed_origin
from palabre.surfaces.mcp.desk import Desk
from palabre.texts import say

STATUSES: dict[type[PalabreError], int] = {
    KeyRequiredError: 401,
    KeyRefusedError: 401,
    ScopeMissingError: 403,
    TooManyRequestsError: 429,
    TooManyAtOnceError: 429,
    HouseFullError: 503,
    StorageError: 503,
}

INVALID_REQUEST = -32600
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
                server = await asyncio.to_thread(_server)
                calls = server.ToolCalls(self.desk, key.id, self.ids)
                await server.serve_request(calls, self.desk.version, scope, receive, send)
        except tuple(STATUSES) as error:
            await self._refused(error)(scope, receive, send)

    def _refused(self, error: PalabreError) -> JSONResponse:
        status = next(STATUSES[kind] for kind in type(error).mro() if kind in STATUSES)
        answer = _refusal(status, say(error.text, self.desk.language))
        if status == STATUSES[KeyRequiredError]:
            answer.headers["WWW-Authenticate"] = "Bearer"
        if (wait_s := error.data.get("retry_after_s")) is not None:
            answer.headers["Retry-After"] = str(wait_s)
        return answer

    def _refusal(self, status: int, code: str) -> JSONResponse:
        return _refusal(status, say(text(code), self.desk.language))


def _server() -> ModuleType:
    return import_module("palabre.surfaces.mcp.server")


def _refusal(status: int, message: str) -> JSONResponse:
    error = {"code": INVALID_REQUEST, "message": message}
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, status)
