"""Where tools come from that are not ours."""

from collections.abc import Sequence
from typing import Protocol

from palabre.core.tools.model import Tool


class ToolSource(Protocol):
    """Somebody else's tools, such as those of an MCP server."""

    @property
    def name(self) -> str:
        """How personas' lists name it: `mcp:<name>/<tool>`."""
        ...

    async def tools(self) -> Sequence[Tool]:
        """Return what it offers now; starts it at the first call.

        Raises:
            UpstreamError: It does not start, or has failed a moment ago.
        """
        ...

    async def aclose(self) -> None:
        """End it."""
        ...
