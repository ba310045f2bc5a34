"""Models that will not hear of tools or of a schema: asked once more without, and then always."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from palabre.adapters.models.upstream import RejectedError
from palabre.core.models.model import ChatMessage, ChatRequest

T = TypeVar("T")

_TOO_LONG = re.compile(r"context|too (?:long|large|many tokens)|maximum.*length", re.IGNORECASE)
"""A refusal for another reason, which a shorter prompt may cure by chance."""


class PlainModels:
    """Remembers the models of one server that refused a request for what it had besides words."""

    def __init__(self) -> None:
        self._plain: set[str] = set()

    async def sent(self, request: ChatRequest, send: Callable[[ChatRequest], Awaitable[T]]) -> T:
        """Return what *send* does with *request*, or with its words alone.

        Raises:
            UpstreamError: As *send*.
        """
        plain = in_words(request)
        if request.model in self._plain or plain == request:
            return await send(plain)
        try:
            return await send(request)
        except RejectedError as error:
            if _TOO_LONG.search(str(error.data.get("detail", ""))):
                raise
        answer = await send(plain)
        self._plain.add(request.model)
        return answer


def in_words(request: ChatRequest) -> ChatRequest:
    """Return *request* without tools and schema, what tools found told as a user's message."""
    if not request.tools and request.answer_schema is None:
        return request
    messages = tuple(map(_worded, request.messages))
    return replace(request, messages=messages, tools=(), answer_schema=None)


def _worded(message: ChatMessage) -> ChatMessage:
    if message.tool_call is not None:
        return ChatMessage("user", f"{message.tool_call.name}: {message.content}")
    if message.tool_calls:
        calls = "\n".join(f"{call.name} {call.arguments}" for call in message.tool_calls)
        return replace(message, content=message.content or calls, tool_calls=())
    return message
