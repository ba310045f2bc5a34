"""Ollama's JSON (its `docs/api.md`), and what we make of it."""

from typing import Literal

import msgspec

from palabre.adapters.models.foreign_json import decode
from palabre.adapters.models.sizes import believable, guessed_parameters, scaled
from palabre.adapters.models.tool_wire import arguments_text
from palabre.core.models.model import (
    AnswerEnded,
    AnswerEvent,
    AnswerGrew,
    Capability,
    ModelInfo,
    PullProgress,
    ThoughtGrew,
    ToolCall,
    ToolCalled,
)
from palabre.kernel.errors import UpstreamError
from palabre.wire.refusals import words_of

_UNITS = {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
_CAPABILITIES = {
    "completion": Capability.CHAT,
    "embedding": Capability.EMBED,
    "vision": Capability.VISION,
    "tools": Capability.TOOLS,
    "thinking": Capability.THINKING,
}
_EMBEDDING_FAMILIES = {"bert", "nomic-bert", "xlm-roberta"}
_VISION_FAMILIES = {"clip", "mllama", "qwen2vl", "qwen25vl", "qwen3vl", "qwen3vlmoe"}


class Function(msgspec.Struct):
    """What is called; some servers write the arguments as JSON text, as OpenAI does."""

    name: str = ""
    arguments: object = None


class Call(msgspec.Struct):
    """One of `tool_calls`; only newer servers name their calls."""

    function: Function
    id: str | None = None


class Piece(msgspec.Struct):
    """`message` of a chat line."""

    content: str | None = None
    thinking: str | None = None
    tool_calls: list[Call] | None = None


class ChatLine(msgspec.Struct):
    """A line of the answer to `POST /api/chat`."""

    message: Piece | None = None
    done: bool = False
    done_reason: str | None = None
    prompt_eval_count: int | None = None
    eval_count: int | None = None
    error: object = None


class PullLine(msgspec.Struct):
    """A line of the answer to `POST /api/pull`."""

    status: str = ""
    total: int | None = None
    completed: int | None = None
    error: object = None


class Details(msgspec.Struct):
    """`details` of a model."""

    family: str | None = None
    families: list[str] | None = None
    parameter_size: str | None = None


class Tag(msgspec.Struct):
    """A model of `GET /api/tags` or `GET /api/ps`."""

    name: str
    size: int | None = None
    digest: str | None = None
    details: Details | None = None
    capabilities: list[str] | None = None


class Tags(msgspec.Struct):
    """The answer of `GET /api/tags` and `GET /api/ps`."""

    models: list[Tag] | None = None


class Shown(msgspec.Struct):
    """The answer of `POST /api/show`, as far as we read it."""

    capabilities: list[str] | None = None
    model_info: dict[str, object] | None = None


class Embedded(msgspec.Struct):
    """The answer of `POST /api/embed`."""

    embeddings: list[list[float]]


class Version(msgspec.Struct):
    """The answer of `GET /api/version`."""

    version: str = ""


def chat_events(line: bytes) -> list[AnswerEvent]:
    """Return what a chat *line* tells.

    Raises:
        UpstreamError: The line is an error, or not JSON.
    """
    parsed = decode(line, ChatLine)
    if parsed.error is not None:
        raise UpstreamError(detail=words_of(parsed.error) or str(parsed.error))
    piece = parsed.message or Piece()
    events: list[AnswerEvent] = []
    if piece.thinking:
        events.append(ThoughtGrew(piece.thinking))
    if piece.content:
        events.append(AnswerGrew(piece.content))
    events.extend(_called(call) for call in piece.tool_calls or () if call.function.name)
    if parsed.done:
        events.append(AnswerEnded(_reason(parsed), parsed.prompt_eval_count, parsed.eval_count))
    return events


def pull_progress(line: bytes) -> PullProgress:
    """Return what a pull *line* tells.

    Raises:
        UpstreamError: The line is an error, or not JSON.
    """
    parsed = decode(line, PullLine)
    if parsed.error is not None:
        raise UpstreamError(detail=words_of(parsed.error) or str(parsed.error))
    return PullProgress(parsed.status, believable(parsed.completed), believable(parsed.total))


def model_info(provider: str, tag: Tag, shown: Shown, *, loaded: bool) -> ModelInfo:
    """Return what *tag* and *shown* tell about a model."""
    details = tag.details or Details()
    return ModelInfo(
        provider,
        tag.name,
        size_bytes=believable(tag.size),
        loaded=loaded,
        capabilities=_capabilities(shown.capabilities or tag.capabilities, details),
        context_tokens=_number(shown, ".context_length"),
        parameters=_number(shown, "general.parameter_count")
        or _parameters(details.parameter_size)
        or guessed_parameters(tag.name),
    )


def _called(call: Call) -> ToolCalled:
    arguments = arguments_text(call.function.arguments)
    return ToolCalled(ToolCall(call.id or "", call.function.name, arguments))


def _reason(line: ChatLine) -> Literal["stop", "length"]:
    return "length" if line.done_reason == "length" else "stop"


def _capabilities(named: list[str] | None, details: Details) -> frozenset[Capability]:
    if named:
        return frozenset(_CAPABILITIES[name] for name in named if name in _CAPABILITIES)
    families = {each.lower() for each in [*(details.families or []), details.family or ""]}
    if families & _EMBEDDING_FAMILIES:
        return frozenset({Capability.EMBED})
    sees = families & _VISION_FAMILIES
    return frozenset({Capability.CHAT, *([Capability.VISION] if sees else [])})


def _number(shown: Shown, ending: str) -> int | None:
    for key, value in (shown.model_info or {}).items():
        if key.endswith(ending) and (count := believable(value)) is not None:
            return count
    return None


def _parameters(size: str | None) -> int | None:
    if not size or size[-1].upper() not in _UNITS:
        return None
    return scaled(size[:-1], _UNITS[size[-1].upper()])
