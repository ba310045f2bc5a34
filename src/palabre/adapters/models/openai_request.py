"""What an OpenAI-compatible server is asked: the body of `POST /chat/completions`."""

import base64

from palabre.adapters.models.tool_wire import arguments_of, json_value, tool_rows
from palabre.core.models.model import ChatMessage, ChatRequest, ImageInput, ToolCall

ANSWER = "answer"
"""The protocol wants a name for a schema; nobody reads it."""


def chat_body(request: ChatRequest) -> dict[str, object]:
    """Return the body of `POST /chat/completions`."""
    body: dict[str, object] = {
        "model": request.model,
        "messages": [_message(each) for each in request.messages],
        "max_tokens": request.max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.ends_before:
        body["stop"] = list(request.ends_before)
    if request.tools:
        body["tools"] = tool_rows(request.tools)
    if request.answer_schema is not None:
        schema = {"name": ANSWER, "schema": json_value(request.answer_schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


def _message(message: ChatMessage) -> dict[str, object]:
    body: dict[str, object] = {"role": message.role, "content": _content(message)}
    if message.tool_calls:
        body["tool_calls"] = [_call(each) for each in message.tool_calls]
    if message.tool_call is not None:
        body["tool_call_id"] = _id(message.tool_call)
    return body


def _content(message: ChatMessage) -> str | list[dict[str, object]]:
    if not message.images:
        return message.content
    said: list[dict[str, object]] = [{"type": "text", "text": message.content}]
    return [*(said if message.content else []), *map(_picture, message.images)]


def _call(call: ToolCall) -> dict[str, object]:
    text = call.arguments if arguments_of(call) else "{}"
    return {"id": _id(call), "type": "function", "function": {"name": call.name, "arguments": text}}


def _id(call: ToolCall) -> str:
    """Return the name that ties a call to its answer; servers refuse calls without one."""
    return call.id or f"call_{call.name}"


def _picture(image: ImageInput) -> dict[str, object]:
    data = base64.b64encode(image.content).decode()
    return {"type": "image_url", "image_url": {"url": f"data:{image.mime};base64,{data}"}}
