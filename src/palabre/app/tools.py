"""The tools that personas may use, as the settings want them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from palabre.app.settings import Settings
from palabre.core.tools.model import Tool
from palabre.core.tools.ports import ToolSource
from palabre.core.tools.toolbox import ToolSet
from palabre.features import tools
from palabre.kernel.registry import discover


@asynccontextmanager
async def opened_tools(settings: Settings) -> AsyncIterator[ToolSet]:
    """Give the tools there are; MCP servers are started when they are needed, and end here.

    Raises:
        EnvFileError: A file that the settings name cannot be read.
    """
    own = discover(tools, "TOOL", Tool)
    async with asyncio.TaskGroup() as tasks:
        sources = _sources(settings, tasks) if settings.tools.mcp else []
        try:
            yield ToolSet(own, sources)
        finally:
            await asyncio.gather(*(source.aclose() for source in sources))


def _sources(settings: Settings, tasks: asyncio.TaskGroup) -> list[ToolSource]:
    from palabre.app.mcp_sources import mcp_sources  # noqa: PLC0415 - its library is slow to import

    return mcp_sources(settings, tasks)
