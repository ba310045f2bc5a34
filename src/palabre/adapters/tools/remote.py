"""An MCP server at an address: streamable HTTP."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import httpx2
from mcp.client._transport import TransportStreams  # the one public name has no streams in it
from mcp.client.streamable_http import streamable_http_client


@asynccontextmanager
async def remote_streams(
    url: str, client: Callable[[], Awaitable[httpx2.AsyncClient]]
) -> AsyncIterator[TransportStreams]:
    """Give the streams of messages of the server at *url*.

    Args:
        url: Its endpoint.
        client: Gives what calls it; closed afterwards.
    """
    async with await client() as http, streamable_http_client(url, http_client=http) as streams:
        yield streams
