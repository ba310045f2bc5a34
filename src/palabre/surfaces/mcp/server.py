"""An MCP server for one key, over the official SDK. Slow to import: `http` does so in a thread."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)
from pydantic import ValidationError
from starlette.types import Receive, Scope, Send

from palabre.kernel.errors import PalabreError
from palabre.kernel.ids import Ids
from palabre.kernel.text import text
from palabre.surfaces.http.wrong_values import why_wrong
from palabre.surfaces.mcp.arguments import TOOLS, Arguments, Ask, Chat, Search
from palabre.surfaces.mcp.desk import Desk
from palabre.surfaces.mcp.guest import Progress
from palabre.texts import say

INSTRUCTIONS = "Personas of a Palabre house: talk to them in its rooms, or ask one of them."

Context = ServerRequestContext[Any, Any]
_BY_NAME = {kind.name: kind for kind in TOOLS}

_log = logging.getLogger(__name__)


class ToolCalls:
    """The tools of a house for one key.

    Args:
        desk: What they do.
        key_id: For whom, in the models' lines.
        ids: Names what nobody foresaw.
    """

    def __init__(self, desk: Desk, key_id: str, ids: Ids) -> None:
        self._desk = desk
        self._key_id = key_id
        self._ids = ids

    async def list(
        self, _context: Context, _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        """Return what there is."""
        return ListToolsResult(tools=tools())

    async def call(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        """Do what is asked; what goes wrong is told as the result."""
        kind = _BY_NAME.get(params.name)
        if kind is None:
            return self._failed(text("mcp.unknown_tool", name=params.name[:40]))
        try:
            asked = kind.takes.model_validate(params.arguments or {})
            return _result(await self._do(kind.name, asked, _progress_of(context)))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"])) or "-"
            return self._failed(text("mcp.wrong_argument", name=place, detail=why_wrong(first)))
        except PalabreError as error:
            return self._failed(error.text)
        except Exception:  # noqa: BLE001 - the outermost loop of a call
            reference = self._ids.new("error")
            _log.exception("tool failed", extra={"reference": reference})
            return self._failed(text("api.internal", reference=reference))

    async def _do(self, name: str, asked: Arguments, progress: Progress) -> dict[str, Any]:
        desk = self._desk
        match asked:
            case Chat():
                return await desk.say(asked, progress)
            case Ask():
                return await desk.ask(asked, self._key_id, progress)
            case Search():
                return await desk.search(asked)
        does: dict[str, Callable[[], Awaitable[dict[str, Any]]]] = {
            "personas": desk.personas,
            "status": desk.status,
        }
        return await does[name]()

    def _failed(self, words: Any) -> CallToolResult:
        content = TextContent(type="text", text=say(words, self._desk.language))
        return CallToolResult(content=[content], is_error=True)


def tools() -> list[Tool]:
    """Return the tools as programs see them."""
    return [
        Tool(
            name=kind.name,
            title=kind.title,
            description=kind.description,
            input_schema=kind.takes.model_json_schema(),
            annotations=ToolAnnotations(read_only_hint=kind.is_read_only, open_world_hint=False),
        )
        for kind in TOOLS
    ]


async def serve_request(
    calls: ToolCalls, version: str, scope: Scope, receive: Receive, send: Send
) -> None:
    """Answer one request over HTTP; nothing is kept from one to the next."""
    server: Server[Any] = Server(
        "palabre",
        version=version,
        title="Palabre",
        instructions=INSTRUCTIONS,
        on_list_tools=calls.list,
        on_call_tool=calls.call,
    )
    manager = StreamableHTTPSessionManager(server, stateless=True)
    async with manager.run():
        await manager.handle_request(scope, receive, send)


def _progress_of(context: Context) -> Progress:
    async def progress(done: int, total: int, speaking: str) -> None:
        await context.session.report_progress(done, total or None, speaking or None)

    return progress


def _result(told: dict[str, Any]) -> CallToolResult:
    content = TextContent(type="text", text=msgspec.json.encode(told).decode())
    return CallToolResult(content=[content], structured_content=told)
