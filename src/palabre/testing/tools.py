"""Tools and sources of tools that do what a test says."""

import asyncio
from collections.abc import Sequence

from palabre.core.models.model import ToolSpec
from palabre.core.tools.model import CALL_TIMEOUT_S, Tool, ToolPorts, ToolUse
from palabre.kernel.errors import PalabreError
from palabre.kernel.text import Text, verbatim

SCHEMA = '{"properties": {"query": {"type": "string"}}, "required": ["query"]}'


class ScriptedTool:
    """Makes a `Tool` and notes its uses.

    Attributes:
        tool: To be handed to whom it is for.
        uses: Every use so far.
        error: What a use raises; None while it works.
        gate: Waited for in each use, if given.
    """

    def __init__(
        self,
        name: str = "web_search",
        result: str = "Résultat.",
        *,
        key: str = "",
        timeout_s: float = CALL_TIMEOUT_S,
        suits_small: bool = True,
        reason: str = "",
    ) -> None:
        self.uses: list[ToolUse] = []
        self.error: PalabreError | None = None
        self.gate: asyncio.Event | None = None
        self._result = result
        self._reason = reason
        self.tool = Tool(
            ToolSpec(name, f"{name} for tests", SCHEMA),
            self._run,
            lambda use: verbatim(f"{use.speaker} uses {name}: {use.words('query')}"),
            self._why_not,
            key=key,
            timeout_s=timeout_s,
            suits_small=suits_small,
        )

    async def _run(self, use: ToolUse, _ports: ToolPorts) -> str:
        self.uses.append(use)
        if self.gate is not None:
            await self.gate.wait()
        if self.error is not None:
            raise self.error
        return self._result

    async def _why_not(self, _ports: ToolPorts) -> Text | None:
        return verbatim(self._reason) if self._reason else None


class ScriptedSource:
    """`ToolSource` that offers given tools.

    Attributes:
        asked: How often it was asked what it offers.
        error: What it raises then; None while it works.
        closed: Whether it was ended.
    """

    def __init__(self, name: str, *tools: Tool) -> None:
        self.name = name
        self.asked = 0
        self.error: PalabreError | None = None
        self.closed = False
        self._tools = tools

    async def tools(self) -> Sequence[Tool]:
        """Return its tools."""
        self.asked += 1
        if self.error is not None:
            raise self.error
        return self._tools

    async def aclose(self) -> None:
        """Note that it was ended."""
        self.closed = True
