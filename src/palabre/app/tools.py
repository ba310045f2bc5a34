"""The tools that personas may use, as the settings want them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from palabre.app.settings import Settings
from palabre.core.tools.model import Tool
from palabre.core.tools.toolbox import ToolSet
from palabre.features import tools
from palabre.kernel.registry import discover


@asynccontextmanager
async def opened_tools(settings: Settings) -> AsyncIterator[ToolSet]:
    """Give the tools there are; those of MCP servers end with the block."""
    yield ToolSet(discover(tools, "TOOL", Tool), ())
