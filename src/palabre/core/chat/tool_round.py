"""The one round of tools in an answer: what is offered, and what comes of the calls."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from palabre.core.chat.turns import Turn
from palabre.core.models.model import ChatMessage, ChatRequest, ModelInfo, ToolCall
from palabre.core.models.quotation import as_data
from palabre.core.tools import words
from palabre.core.tools.model import Tool
from palabre.core.tools.toolbox import Toolbox
from palabre.kernel.text import Text

MAX_CALLS = 3
"""Tools that one answer uses."""

MAX_HEARD_CALLS = 8
"""Calls that are answered at all, though only with a refusal."""


@dataclass(frozen=True, slots=True)
class ToolRound:
    """What an answer may use, once.

    Attributes:
        request: With the tools; without them where there are none.
        offered: By the names that models call them.
    """

    toolbox: Toolbox
    turn: Turn
    request: ChatRequest
    offered: Mapping[str, Tool]

    async def follow_up(
        self, calls: Sequence[ToolCall], said: str, tell: Callable[[Text], None]
    ) -> ChatRequest:
        """Do what *calls* ask for, at once, and return the request of the rest of the answer.

        It offers no tools: whatever a result says, it starts nothing.

        Args:
            calls: As the model made or wrote them.
            said: What it said before.
            tell: Told what is being done, before it is.
        """
        heard = _distinct(calls)
        async with asyncio.TaskGroup() as tasks:
            uses = [tasks.create_task(self._use(call, tell)) for call in heard[:MAX_CALLS]]
        results = [use.result() for use in uses]
        results += [words.TOO_MANY.format(most=MAX_CALLS)] * (len(heard) - len(results))
        answers = [
            ChatMessage("tool", as_data(result), tool_call=call)
            for call, result in zip(heard, results, strict=True)
        ]
        asked = ChatMessage("assistant", said, tool_calls=tuple(heard))
        return replace(self.request, messages=(*self.request.messages, asked, *answers), tools=())

    async def _use(self, call: ToolCall, tell: Callable[[Text], None]) -> str:
        nick, channel = self.turn.persona.nick, self.turn.channel
        return await self.toolbox.use(call, self.offered, speaker=nick, channel=channel, tell=tell)


async def open_round(
    toolbox: Toolbox, turn: Turn, info: ModelInfo, request: ChatRequest
) -> ToolRound:
    """Return what the persona of *turn* may use while the model *info* answers *request*."""
    offered = {} if turn.is_tainted else await toolbox.offered(turn.persona, info)
    if offered:
        specs = tuple(tool.spec for tool in offered.values())
        request = replace(request, messages=_unbegun(request.messages), tools=specs)
    return ToolRound(toolbox, turn, request, offered)


def _unbegun(messages: tuple[ChatMessage, ...]) -> tuple[ChatMessage, ...]:
    """Return *messages* without an answer that was begun for the model: it could call nothing."""
    return messages[:-1] if messages[-1].role == "assistant" else messages


def _distinct(calls: Sequence[ToolCall]) -> list[ToolCall]:
    """Return the first of *calls*, each once, and each with an id by which its result is known."""
    known = {(call.name, call.arguments): call for call in reversed(calls)}
    kept = sorted(known.values(), key=calls.index)[:MAX_HEARD_CALLS]
    return [
        replace(call, id=call.id or f"call_{number}") for number, call in enumerate(kept, start=1)
    ]
