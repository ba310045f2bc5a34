"""The chunks of a streamed chat completion, read tolerantly: servers differ in the details."""

from dataclasses import dataclass, field
from typing import Literal

import msgspec

from palabre.adapters.models.foreign_json import decode
from palabre.adapters.models.openai_calls import CallPart, CallParts
from palabre.adapters.models.sizes import believable, guessed_parameters
from palabre.core.models.errors import CutAnswerError
from palabre.core.models.model import (
    AnswerEnded,
    AnswerEvent,
    AnswerGrew,
    Capability,
    ModelInfo,
    ThoughtGrew,
    ToolCalled,
)
from palabre.kernel.errors import UpstreamError
from palabre.wire.refusals import words_of

DONE = b"[DONE]"

_EMBEDDING_HINTS = ("embed", "bge-", "e5-", "minilm")
_VISION_HINTS = ("-vl", "vision", "llava", "pixtral", "moondream", "smolvlm", "minicpm-v")


class Delta(msgspec.Struct):
    """What a chunk adds. Servers call the reasoning by one of two names."""

    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: list[CallPart] | None = None


class Choice(msgspec.Struct):
    """The first of a chunk's choices is the only one: we ask for one."""

    delta: Delta | None = None
    finish_reason: str | None = None


class Usage(msgspec.Struct):
    """Token counts; in the last chunk, where the server counts at all."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Chunk(msgspec.Struct):
    """`data` of one event."""

    choices: list[Choice] | None = None
    usage: Usage | None = None
    error: object = None


class ModelRow(msgspec.Struct):
    """A model of `GET /models`, with what llama.cpp (`meta`) and vLLM (`max_model_len`) add."""

    id: str
    meta: object = None
    max_model_len: object = None


class ModelRows(msgspec.Struct):
    """The answer of `GET /models`."""

    data: list[ModelRow]


class VectorRow(msgspec.Struct):
    """The vector of the text at *index*."""

    index: int
    embedding: list[float]


class VectorRows(msgspec.Struct):
    """The answer of `POST /embeddings`."""

    data: list[VectorRow]


@dataclass(slots=True)
class Completion:
    """Follows the chunks of one answer.

    Attributes:
        finished: Whether the model said that it is done.
        done: Whether the server said so too: nothing follows.
    """

    finished: bool = False
    done: bool = False
    _reason: Literal["stop", "length"] = "stop"
    _usage: Usage = field(default_factory=Usage)
    _calls: CallParts = field(default_factory=CallParts)

    def read(self, data: bytes) -> list[AnswerEvent]:
        """Return what an event's *data* adds to the answer.

        Raises:
            UpstreamError: It is an error, or not a chunk.
        """
        if data == DONE:
            self.done = True
            return []
        chunk = self._parse(data)
        self._usage = chunk.usage or self._usage
        choice = chunk.choices[0] if chunk.choices else Choice()
        if choice.finish_reason:
            self.finished = True
            self._reason = "length" if choice.finish_reason == "length" else "stop"
        delta = choice.delta or Delta()
        for part in delta.tool_calls or ():
            self._calls.add(part)
        return _grown(delta)

    def end(self) -> list[AnswerEvent]:
        """Return the last events: the calls of tools, which are whole only now, and the end.

        Raises:
            UpstreamError: The stream ended before the answer did.
        """
        if not (self.finished or self.done):
            raise CutAnswerError
        tokens = self._usage.prompt_tokens, self._usage.completion_tokens
        calls = map(ToolCalled, self._calls.whole())
        return [*calls, AnswerEnded(self._reason, *tokens)]

    def _parse(self, data: bytes) -> Chunk:
        chunk = decode(data, Chunk)
        if chunk.error is not None:
            raise UpstreamError(detail=words_of(chunk.error) or str(chunk.error))
        return chunk


def _grown(delta: Delta) -> list[AnswerEvent]:
    events: list[AnswerEvent] = []
    if thought := delta.reasoning_content or delta.reasoning:
        events.append(ThoughtGrew(thought))
    if delta.content:
        events.append(AnswerGrew(delta.content))
    return events


def model_info(provider: str, row: ModelRow) -> ModelInfo:
    """Return what *row* tells; what it does not is guessed from the name."""
    facts = row.meta if isinstance(row.meta, dict) else {}
    return ModelInfo(
        provider,
        row.id,
        size_bytes=believable(facts.get("size")),
        loaded=True,
        capabilities=_capabilities(row.id.lower()),
        context_tokens=believable(row.max_model_len) or believable(facts.get("n_ctx_train")),
        parameters=believable(facts.get("n_params")) or guessed_parameters(row.id),
    )


def _capabilities(name: str) -> frozenset[Capability]:
    if any(hint in name for hint in _EMBEDDING_HINTS):
        return frozenset({Capability.EMBED})
    sees = any(hint in name for hint in _VISION_HINTS)
    # Nobody tells; a model that refuses tools is asked without them from then on.
    able = {Capability.CHAT, Capability.TOOLS}
    return frozenset({*able, *([Capability.VISION] if sees else [])})
