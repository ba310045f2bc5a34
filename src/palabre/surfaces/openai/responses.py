"""`POST /v1/responses`: a persona answers, in the newer protocol."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

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
from palabre.surfaces.openai.dialogue import Dialogue, read_dialogue
from palabre.surfaces.openai.event_stream import EventStream, data_line
from palabre.surfaces.openai.json_body import checked, read_json
from palabre.surfaces.openai.ports import Ports
from palabre.surfaces.openai.responses_body import REFUSED, ResponsesBody

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """A body, and the dialogue in it."""

    body: ResponsesBody
    dialogue: Dialogue


class ResponsesRoute:
    """Lets personas answer programs; no response is kept."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports

    async def read(self, request: Request) -> Asked:
        """Return what is asked."""
        body = checked(await read_json(request), ResponsesBody, REFUSED)
        messages, guidance = body.messages(), body.instructions or ""
        dialogue = await read_dialogue(messages, "input", self._ports.typer, guidance)
        return Asked(body, dialogue)

    async def answer(self, asked: Asked, key: ApiKey) -> ASGIApp:
        """Answer at once, or piece by piece."""
        body, dialogue = asked.body, asked.dialogue
        question = DirectQuestion(
            self._ports.persona(body.model),
            dialogue.said,
            dialogue.guidance,
            max_tokens=body.max_output_tokens,
            temperature=body.temperature,
            on_behalf_of=key.id,
        )
        response = _Response(self._ports, body, question)
        if body.stream:
            return EventStream(response.events(), response.failed)
        return JSONResponse(await response.whole())


class _Response:
    """One response, in the protocol's words."""

    def __init__(self, ports: Ports, body: ResponsesBody, question: DirectQuestion) -> None:
        self._ports = ports
        self._body = body
        self._question = question
        self._id, self._item_id = ports.ids.new("resp"), ports.ids.new("msg")
        self._created_s = ports.now_s()
        self._told = 0

    async def whole(self) -> Json:
        async with aclosing(self._ports.direct.answer(self._question)) as events:
            async for event in events:
                if isinstance(event, SpeechEnded):
                    return self._ended(event)
        raise AssertionError

    async def events(self) -> AsyncGenerator[bytes]:
        beginning = self._beginning()
        async with aclosing(self._ports.direct.answer(self._question)) as events:
            async for event in events:
                yield beginning + self._piece(event)
                beginning = b""

    def failed(self, error: Exception) -> bytes:
        told = self._ports.errors.in_stream(error)["error"]
        failure = {"code": "server_error", "message": told["message"]}
        return self._event("response.failed", response=self._response("failed", error=failure))

    def _piece(self, event: DirectEvent) -> bytes:
        if isinstance(event, SpeechGrew):
            return self._of_text("delta", delta=event.text, logprobs=[])
        return self._ending(event)

    def _beginning(self) -> bytes:
        started = self._response("in_progress")
        item = self._item("in_progress", [])
        return b"".join(
            (
                self._event("response.created", response=started),
                self._event("response.in_progress", response=started),
                self._event("response.output_item.added", output_index=0, item=item),
                self._part("added", ""),
            )
        )

    def _ending(self, said: SpeechEnded) -> bytes:
        response = self._ended(said)
        return b"".join(
            (
                self._of_text("done", text=said.text, logprobs=[]),
                self._part("done", said.text),
                self._event(
                    "response.output_item.done", output_index=0, item=response["output"][0]
                ),
                self._event(f"response.{response['status']}", response=response),
            )
        )

    def _part(self, step: str, text: str) -> bytes:
        place = {"item_id": self._item_id, "output_index": 0, "content_index": 0}
        return self._event(f"response.content_part.{step}", **place, part=_part(text))

    def _of_text(self, step: str, **about: object) -> bytes:
        place = {"item_id": self._item_id, "output_index": 0, "content_index": 0}
        return self._event(f"response.output_text.{step}", **place, **about)

    def _event(self, kind: str, **about: object) -> bytes:
        number, self._told = self._told, self._told + 1
        return data_line({"type": kind, "sequence_number": number, **about}, kind)

    def _ended(self, said: SpeechEnded) -> Json:
        is_cut = said.reason == "length"
        status = "incomplete" if is_cut else "completed"
        return self._response(
            status,
            output=[self._item(status, [_part(said.text)])],
            incomplete_details={"reason": "max_output_tokens"} if is_cut else None,
            usage=_told_usage(said.usage),
        )

    def _item(self, status: str, content: list[Json]) -> Json:
        return {
            "id": self._item_id,
            "type": "message",
            "role": "assistant",
            "status": status,
            "content": content,
        }

    def _response(self, status: str, **about: object) -> Json:
        body = self._body
        return {
            "id": self._id,
            "object": "response",
            "created_at": self._created_s,
            "status": status,
            "error": None,
            "incomplete_details": None,
            "instructions": body.instructions,
            "max_output_tokens": body.max_output_tokens,
            "metadata": body.metadata or {},
            "model": self._question.persona.id,
            "output": [],
            "parallel_tool_calls": False,
            "previous_response_id": None,
            "store": False,
            "temperature": body.temperature,
            "text": {"format": {"type": "text"}},
            "tool_choice": "none",
            "tools": [],
            "top_p": None,
            "truncation": "disabled",
            "usage": None,
            **about,
        }


def _part(text: str) -> Json:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _told_usage(usage: Usage) -> Json:
    return {
        "input_tokens": usage.prompt_tokens,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": usage.answer_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.prompt_tokens + usage.answer_tokens,
        "estimated": usage.is_estimated,
    }
