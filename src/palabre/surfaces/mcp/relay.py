"""`palabre mcp`: what a program asks over its pipes is asked of a running house over HTTP."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)

from palabre.kernel.text import text
from palabre.surfaces.mcp.server import INSTRUCTIONS, tools
from palabre.texts import Language, say

CONNECT_TIMEOUT_S = 5.0
MAX_DETAIL_CHARS = 300

Context = ServerRequestContext[Any, Any]


class Relay:
    """Hands calls on to the house at *url*, which may come and go.

    Args:
        url: Of its `/mcp`.
        key: With the scope `mcp`.
        language: Of what is said when nothing answers.
        timeout_s: Longest call.
    """

    def __init__(self, url: str, key: str, language: Language, timeout_s: float) -> None:
        self._url = url
        self._key = key
        self._language = language
        self._timeout_s = timeout_s

    async def list(
        self, _context: Context, _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        """Return what there is, be the house there or not."""
        return ListToolsResult(tools=tools())

    async def call(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        """Ask the house; without one, say how to start it."""

        async def tell(progress: float, total: float | None, message: str | None) -> None:
            await context.session.report_progress(progress, total, message)

        try:
            async with self._house() as house:
                return await house.call_tool(params.name, params.arguments, progress_callback=tell)
        except (BaseExceptionGroup, MCPError, httpx2.HTTPError, OSError) as error:
            return self._failed(_first(error))

    @asynccontextmanager
    async def _house(self) -> AsyncGenerator[Client]:
        limits = httpx2.Timeout(self._timeout_s, connect=CONNECT_TIMEOUT_S)
        headers = {"Authorization": f"Bearer {self._key}"}
        async with httpx2.AsyncClient(headers=headers, timeout=limits, trust_env=False) as http:
            transport = streamable_http_client(self._url, http_client=http)
            async with Client(
                transport, read_timeout_seconds=self._timeout_s, cache=None
            ) as client:
                yield client

    def _failed(self, error: BaseException) -> CallToolResult:
        if isinstance(error, httpx2.TransportError | OSError):
            words = text("mcp.no_house", url=self._url)
        else:
            detail = str(error)[:MAX_DETAIL_CHARS]
            words = text("mcp.refused", url=self._url, detail=detail)
        told = TextContent(type="text", text=say(words, self._language))
        return CallToolResult(content=[told], is_error=True)


async def is_there(url: str, timeout_s: float) -> bool:
    """Say whether anything answers at *url*."""
    try:
        async with httpx2.AsyncClient(timeout=timeout_s, trust_env=False) as http:
            await http.get(url)
    except httpx2.TransportError:
        return False
    return True


async def relay(house: Relay, version: str) -> None:
    """Speak MCP over the pipes of this process until they close."""
    server: Server[Any] = Server(
        "palabre",
        version=version,
        title="Palabre",
        instructions=INSTRUCTIONS,
        on_list_tools=house.list,
        on_call_tool=house.call,
    )
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if not isinstance(error, Exception):
        raise error
    return error
