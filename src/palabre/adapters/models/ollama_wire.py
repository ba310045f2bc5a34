"""Ollama's JSON (its `docs/api.md`), and what we make of it."""

import math
from typing import Literal

import msgspec

from palabre.adapters.models.foreign_json import decode
from palabre.adapters.models.sizes import believable, guessed_parameters, scaled
from palabre.adapters.models.upstream import words_of
from palabre.core.models.model import (
    AnswerEnded,
    AnswerEvent,
    AnswerGrew,
    Capability,
    ChatRequest,
    ModelInfo,
    PullProgress,
    ThoughtGrew,
)
from palabre.kernel.errors import UpstreamError

MIN_CONTEXT_TOKENS = 4096
MAX_CONTEXT_TOKENS = 32768
CONTEXT_STEP_TOKENS = 2048
CHARS_PER_TOKEN = 4

_UNITS = {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
_CAPABILITIES = {
    "completion": Capability.CHAT,
    "embedding": Capability.EMBED,
    "vision": Capability.VISION,
    "tools": Capability.TOOLS,
    "thinking": Capability.THINKING,
}
_EMBEDDING_FAMILIES = ("bert", "nomic-bert", "xlm-roberta")


class Piece(msgspec.Struct):
    """`message` of a chat line."""

    content: str | None = None
    thinking: str | None = None


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


def context_tokens(request: ChatRequest) -> int:
    """Return the `num_ctx` for *request*: room for its prompt and an answer (seed 000, §5.8)."""
    chars = sum(len(message.content) for message in request.messages)
    needed = chars / CHARS_PER_TOKEN + CONTEXT_STEP_TOKENS
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
    return {
        "model": request.model,
        "messages": [{"role": each.role, "content": each.content} for each in request.messages],
        "stream": True,
        "keep_alive": keep_alive,
        "options": options,
    }


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


def _reason(line: ChatLine) -> Literal["stop", "length"]:
    return "length" if line.done_reason == "length" else "stop"


def _capabilities(named: list[str] | None, details: Details) -> frozenset[Capability]:
    if named:
        return frozenset(_CAPABILITIES[name] for name in named if name in _CAPABILITIES)
    families = [*(details.families or []), details.family or ""]
    embeds = any(family.lower() in _EMBEDDING_FAMILIES for family in families)
    return frozenset({Capability.EMBED if embeds else Capability.CHAT})


def _number(shown: Shown, ending: str) -> int | None:
    for key, value in (shown.model_info or {}).items():
        if key.endswith(ending) and (count := believable(value)) is not None:
            return count
    return None


def _parameters(size: str | None) -> int | None:
    if not size or size[-1].upper() not in _UNITS:
        return None
    return scaled(size[:-1], _UNITS[size[-1].upper()])
