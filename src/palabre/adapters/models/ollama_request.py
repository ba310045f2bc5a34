"""What Ollama is asked: the body of `POST /api/chat` (its `docs/api.md`)."""

import base64
import math

from palabre.adapters.models.tool_wire import arguments_of, json_value, tool_rows
from palabre.core.models.model import ChatMessage, ChatRequest, ToolCall

MIN_CONTEXT_TOKENS = 4096
MAX_CONTEXT_TOKENS = 32768
CONTEXT_STEP_TOKENS = 2048
CHARS_PER_TOKEN = 4
IMAGE_TOKENS = 2048
"""What a picture may take in the context; models cut larger ones down to about this."""


def context_tokens(request: ChatRequest) -> int:
    """Return the `num_ctx` for *request*: room for its prompt and an answer (seed 000, §5.8)."""
    chars = sum(len(message.content) for message in request.messages)
    chars += sum(len(tool.description) + len(tool.parameters) for tool in request.tools)
    images = sum(len(message.images) for message in request.messages)
    needed = chars / CHARS_PER_TOKEN + images * IMAGE_TOKENS + CONTEXT_STEP_TOKENS
    rounded = math.ceil(needed / CONTEXT_STEP_TOKENS) * CONTEXT_STEP_TOKENS
    return min(max(rounded, MIN_CONTEXT_TOKENS), MAX_CONTEXT_TOKENS)


def chat_body(request: ChatRequest, keep_alive: str) -> dict[str, object]:
    """Return the body of `POST /api/chat`."""
    options: dict[str, object] = {
        "num_ctx": context_tokens(request),
        "num_predict": request.max_tokens,
    }
    if request.temperature is not None:
        options["temperature"] = request.temperature
    if request.ends_before:
        options["stop"] = list(request.ends_before)
    body: dict[str, object] = {
        "model": request.model,
        "messages": [_message(each) for each in request.messages],
        "stream": True,
        "keep_alive": keep_alive,
        "options": options,
    }
    if request.tools:
        body["tools"] = tool_rows(request.tools)
    if request.answer_schema is not None:
        body["format"] = json_value(request.answer_schema)
    return body


def _message(message: ChatMessage) -> dict[str, object]:
    body: dict[str, object] = {"role": message.role, "content": message.content}
    if message.images:
        body["images"] = [base64.b64encode(each.content).decode() for each in message.images]
    if message.tool_calls:
        body["tool_calls"] = [_call(each) for each in message.tool_calls]
    if message.tool_call is not None:
        body["tool_name"] = message.tool_call.name
        body |= {"tool_call_id": message.tool_call.id} if message.tool_call.id else {}
    return body


def _call(call: ToolCall) -> dict[str, object]:
    """Return one of `tool_calls`; `type` is for servers that hand it on to OpenAI's dialect."""
    function = {"name": call.name, "arguments": arguments_of(call)}
    return {**({"id": call.id} if call.id else {}), "type": "function", "function": function}
