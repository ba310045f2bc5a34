"""`POST /v1/chat/completions`: a persona answers."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp

from palabre.core.auth.api_keys import ApiKey
from palabre.core.chat.direct import (
    DirectEvent,
    DirectQuestion,
    SpeechEnded,
    SpeechGrew,
    Usage,
)
from palabre.surfaces.http.numbers import WHOLE
from palabre.surfaces.openai.dialogue import Dialogue, Messages, read_dialogue
from palabre.surfaces.openai.event_stream import DONE, EventStream, data_line
from palabre.surfaces.openai.json_body import Body, Harmless, Name, checked, read_json
from palabre.surfaces.openai.ports import Ports

REFUSED: Harmless = {
    "tools": ([],),
    "tool_choice": ("none", "auto"),
    "functions": ([],),
    "function_call": ("none", "auto"),
    "n": (1,),
    "logprobs": (False,),
    "top_logprobs": (0,),
    "response_format": ({"type": "text"},),
    "audio": (),
    "modalities": (["text"],),
    "prediction": (),
    "web_search_options": (),
    "logit_bias": ({},),
    "moderation": (),
}

MAX_STOP_CHARS = 100
Stop = Annotated[str, Field(min_length=1, max_length=MAX_STOP_CHARS)]
Tokens = Annotated[int, Field(strict=True, ge=1), WHOLE]
Temperature = Annotated[float, Field(ge=0, le=2)]


class StreamOptions(Body):
    """What a stream holds besides the answer."""

    include_usage: bool = False


class ChatBody(Body):
    """What is asked."""

    model: Name
    messages: Messages
    max_tokens: Tokens | None = None
    max_completion_tokens: Tokens | None = None
    temperature: Temperature | None = None
    stop: Stop | Annotated[list[Stop], Field(max_length=4)] | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A body, and the dialogue in it."""

    body: ChatBody
    dialogue: Dialogue


class ChatRoute:
    """Lets personas answer programs."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports

    async def read(self, request: Request) -> Asked:
        """Return what is asked."""
        body = checked(await read_json(request), ChatBody, REFUSED)
        return Asked(body, await read_dialogue(body.messages, "messages", self._ports.typer))

    async def answer(self, asked: Asked, key: ApiKey) -> ASGIApp:
        """Answer at once, or piece by piece."""
        question = self._question(asked, key)
        answer = _Answer(self._ports, question)
        if not asked.body.stream:
            return JSONResponse(await answer.whole())
        options = asked.body.stream_options or StreamOptions()
        return EventStream(answer.pieces(with_usage=options.include_usage), answer.failed)

    def _question(self, asked: Asked, key: ApiKey) -> DirectQuestion:
        body = asked.body
        stop = body.stop or ()
        return DirectQuestion(
            self._ports.persona(body.model),
            asked.dialogue.said,
            asked.dialogue.guidance,
            max_tokens=body.max_completion_tokens or body.max_tokens,
            temperature=body.temperature,
            ends_before=(stop,) if isinstance(stop, str) else tuple(stop),
            on_behalf_of=key.id,
        )


class _Answer:
    """One answer, in the protocol's words."""

    def __init__(self, ports: Ports, question: DirectQuestion) -> None:
        self._ports = ports
        self._question = question
        self._head = {
            "id": ports.ids.new("chatcmpl"),
            "created": ports.now_s(),
            "model": question.persona.id,
            "system_fingerprint": None,
        }

    async def whole(self) -> dict[str, Any]:
        async with aclosing(self._ports.direct.answer(self._question)) as events:
            async for event in events:
                if isinstance(event, SpeechEnded):
                    return self._completion(event)
        raise AssertionError

    def _completion(self, said: SpeechEnded) -> dict[str, Any]:
        message = {"role": "assistant", "content": said.text, "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": said.reason}
        usage = told_usage(said.usage)
        return {**self._head, "object": "chat.completion", "choices": [choice], "usage": usage}

    async def pieces(self, *, with_usage: bool) -> AsyncGenerator[bytes]:
        beginning = self._chunk({"role": "assistant", "content": ""})
        async with aclosing(self._ports.direct.answer(self._question)) as events:
            async for event in events:
                yield beginning + self._piece(event, with_usage=with_usage)
                beginning = b""
        yield DONE

    def failed(self, error: Exception) -> bytes:
        return data_line(self._ports.errors.in_stream(error))

    def _piece(self, event: DirectEvent, *, with_usage: bool) -> bytes:
        if isinstance(event, SpeechGrew):
            return self._chunk({"content": event.text})
        last = self._last(event.usage) if with_usage else b""
        return self._chunk({}, event.reason) + last

    def _chunk(self, delta: dict[str, str], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return data_line({**self._head, "object": "chat.completion.chunk", "choices": [choice]})

    def _last(self, usage: Usage) -> bytes:
        return data_line(
            {
                **self._head,
                "object": "chat.completion.chunk",
                "choices": [],
                "usage": told_usage(usage),
            }
        )


def told_usage(usage: Usage) -> dict[str, Any]:
    """Return *usage* as the protocol has it; `estimated` is ours."""
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.answer_tokens,
        "total_tokens": usage.prompt_tokens + usage.answer_tokens,
        "estimated": usage.is_estimated,
    }
