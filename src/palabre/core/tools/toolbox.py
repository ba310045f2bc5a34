"""Which tools a persona has, and the use of one."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from palabre.core.models.errors import reason_of
from palabre.core.models.model import Capability, ModelInfo, ToolCall
from palabre.core.personas.model import Persona
from palabre.core.tools import words
from palabre.core.tools.arguments import Refusal, read_arguments
from palabre.core.tools.model import Tool, ToolPorts, ToolUse
from palabre.core.tools.permissions import is_allowed, sources_of
from palabre.core.tools.ports import ToolSource
from palabre.kernel.errors import PalabreError, UpstreamError
from palabre.kernel.ids import ChannelName, Nick
from palabre.kernel.text import Text

MAX_RESULT_CHARS = 4000
"""Characters of a result that a model is told."""

MAX_OFFERED = 16
"""Tools that one request offers: more of them confuse models."""

SOURCE_PATIENCE_S = 5.0
"""How long an answer waits for a source to say what it offers."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ToolSet:
    """The tools there are.

    Attributes:
        own: Those of the program, by name.
        sources: Where others come from.
    """

    own: Mapping[str, Tool] = field(default_factory=dict)
    sources: Sequence[ToolSource] = ()


class Toolbox:
    """Hands tools to those who may use them.

    Args:
        tools: All there are.
        ports: What they stand on.
        say: Turns the reason of a failure into words for models.
    """

    def __init__(self, tools: ToolSet, ports: ToolPorts, say: Callable[[Text], str]) -> None:
        self._tools = tools
        self._ports = ports
        self._say = say

    async def offered(self, persona: Persona, info: ModelInfo) -> Mapping[str, Tool]:
        """Return what *persona* may use now, by name, where the model *info* can use tools."""
        if not persona.tools or Capability.TOOLS not in info.capabilities:
            return {}
        found: dict[str, Tool] = {}
        for tool in (*self._tools.own.values(), *await self._foreign(persona)):
            suits = tool.suits_small or not info.is_small
            if suits and is_allowed(tool.permission, persona.tools) and await self._is_ready(tool):
                found.setdefault(tool.name, tool)
        return dict(list(found.items())[:MAX_OFFERED])

    async def use(
        self,
        call: ToolCall,
        offered: Mapping[str, Tool],
        *,
        speaker: Nick,
        channel: ChannelName,
        tell: Callable[[Text], None],
    ) -> str:
        """Do what *call* asks for, and return what its model is told: the result, or why not.

        Args:
            call: As the model wrote it.
            offered: The tools that it may name.
            speaker: For whom.
            channel: Where.
            tell: Told what is being done, before it is.
        """
        tool = offered.get(call.name)
        if tool is None:
            return words.NO_SUCH_TOOL.format(name=call.name[:64])
        arguments = read_arguments(tool.spec.parameters, call.arguments)
        if isinstance(arguments, Refusal):
            return arguments.words
        use = ToolUse(arguments, speaker, channel)
        tell(tool.about(use))
        return _cut(await self._run(tool, use))

    async def _run(self, tool: Tool, use: ToolUse) -> str:
        try:
            async with asyncio.timeout(tool.timeout_s):
                return await tool.run(use, self._ports) or words.NOTHING
        except TimeoutError:
            return words.TIMED_OUT.format(name=tool.name, limit_s=tool.timeout_s)
        except PalabreError as error:
            _log.warning("tool %s failed: %s %s", tool.permission, error.code, error.data)
            reason = reason_of(error) if isinstance(error, UpstreamError) else error.text
            return words.FAILED.format(name=tool.name, reason=self._say(reason))

    async def _is_ready(self, tool: Tool) -> bool:
        return await tool.why_not(self._ports) is None

    async def _foreign(self, persona: Persona) -> Iterable[Tool]:
        wanted = sources_of(persona.tools)
        sources = [source for source in self._tools.sources if source.name in wanted]
        lists = await asyncio.gather(*map(_tools_or_none, sources))
        return [tool for tools in lists for tool in tools]


async def _tools_or_none(source: ToolSource) -> Sequence[Tool]:
    """Return what *source* offers; nothing while it is down: the answer goes on without it."""
    try:
        async with asyncio.timeout(SOURCE_PATIENCE_S):
            return await source.tools()
    except (UpstreamError, TimeoutError) as error:
        _log.warning("tools of %s are out of reach: %s", source.name, type(error).__name__)
        return ()


def _cut(result: str) -> str:
    if len(result) <= MAX_RESULT_CHARS:
        return result
    return result[: MAX_RESULT_CHARS - len(words.CUT)] + words.CUT
