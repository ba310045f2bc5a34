"""What language models are and what is said to them."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NewType

from palabre.kernel.text import Text, verbatim

ModelRef = NewType("ModelRef", str)
"""`<provider>/<model id>`, such as `ollama/qwen3:8b`."""

OLLAMA = "ollama"
"""Name of the provider that runs an Ollama server's models."""

EMBEDDED = "embedded"
"""Name of the provider that runs models inside Palabre."""

AUTO = "auto"
"""Instead of a provider's name: the first of `AUTO_ORDER` that answers."""

AUTO_ORDER = (OLLAMA, EMBEDDED)


class Capability(StrEnum):
    """What a model can do."""

    CHAT = "chat"
    EMBED = "embed"
    VISION = "vision"
    TOOLS = "tools"
    THINKING = "thinking"
    CONTINUE = "continue"
    """It goes on with an assistant's message that ends the prompt."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """One model that a provider has.

    Attributes:
        provider: Name of the provider, such as `ollama`.
        id: The provider's own name for the model, such as `qwen3:8b`.
        size_bytes: Size of the weights; None if the provider does not tell.
        loaded: Whether the weights are in memory now.
        capabilities: What it can do, as far as known.
        context_tokens: Longest prompt plus answer; None if unknown.
        parameters: Number of weights, such as 8_000_000_000; None if unknown. Below
            `SMALL_PARAMETERS` a model gets short prompts with examples.
    """

    provider: str
    id: str
    size_bytes: int | None = None
    loaded: bool = False
    capabilities: frozenset[Capability] = frozenset({Capability.CHAT})
    context_tokens: int | None = None
    parameters: int | None = None

    @property
    def ref(self) -> ModelRef:
        """The model's name across all providers."""
        return ModelRef(f"{self.provider}/{self.id}")

    @property
    def is_small(self) -> bool:
        """Whether long instructions would be lost on it."""
        return self.parameters is not None and self.parameters < SMALL_PARAMETERS


SMALL_PARAMETERS = 3_000_000_000


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as models are told of it.

    Attributes:
        name: `[a-z_]+`.
        description: What it is for, in one sentence.
        parameters: JSON Schema of its arguments, as JSON text.
    """

    name: str
    description: str
    parameters: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model wants to use a tool.

    Attributes:
        id: The server's name for the call; empty where it has none.
        arguments: JSON text, as the model wrote it: to be checked.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ImageInput:
    """A picture for models that see."""

    content: bytes
    mime: str


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a prompt.

    Attributes:
        images: What a user's message shows besides its words.
        tool_calls: What an assistant's message asked for.
        tool_call: The call that a tool's message answers; None in other messages.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    images: tuple[ImageInput, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call: ToolCall | None = None


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A prompt and how it is to be answered.

    Attributes:
        model: The provider's own name for the model.
        messages: The prompt, oldest first.
        max_tokens: Longest answer.
        temperature: None leaves it to the model.
        avoid: Words that the answer should rather not hold; servers that cannot ignore it.
        ends_before: Texts at which the answer ends; they do not belong to it. At most four.
        tools: What the model may ask for.
        answer_schema: JSON Schema, as JSON text, that the answer must match; servers that
            cannot ignore it: the answer is still to be checked. None for free text.
        on_behalf_of: Who waits for the answer (a channel, a thread): where calls are limited,
            each of them gets its turn.
    """

    model: str
    messages: tuple[ChatMessage, ...]
    max_tokens: int = 2048
    temperature: float | None = None
    avoid: tuple[str, ...] = ()
    ends_before: tuple[str, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    answer_schema: str | None = None
    on_behalf_of: str = ""


@dataclass(frozen=True, slots=True)
class AnswerStarted:
    """The call has its place and is being sent; comes first, once."""


@dataclass(frozen=True, slots=True)
class AnswerGrew:
    """The answer grew by *text*; never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class ThoughtGrew:
    """The model's reasoning grew, where the server keeps it apart from the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """The model asks for a tool; it may ask for several."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class AnswerEnded:
    """The answer is whole; comes last, once.

    Attributes:
        reason: `stop`, or `length` when it was cut at `max_tokens`.
        prompt_tokens: None if the server does not tell; so `answer_tokens`.
    """

    reason: Literal["stop", "length"] = "stop"
    prompt_tokens: int | None = None
    answer_tokens: int | None = None


AnswerEvent = AnswerStarted | AnswerGrew | ThoughtGrew | ToolCalled | AnswerEnded

EmbeddingPurpose = Literal["question", "passage"]
"""Some embedders read a question in another way than what may answer it."""


@dataclass(frozen=True, slots=True)
class PullProgress:
    """How far a download of weights is.

    Attributes:
        status: The provider's word for what it does now.
        done_bytes: Bytes so far of the current file; None if unknown. So `total_bytes`.
    """

    status: str
    done_bytes: int | None = None
    total_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class ProviderHealth:
    """Whether a provider answers; *detail* is its version or the reason why not."""

    ok: bool
    detail: Text = field(default_factory=lambda: verbatim(""))


@dataclass(frozen=True, slots=True)
class ResolvedModel:
    """A model that was asked for and the one that will answer.

    Attributes:
        asked: The name that was asked for.
        info: The model that answers.
        substituted: Whether *info* stands in for a model that is not installed.
    """

    asked: str
    info: ModelInfo
    substituted: bool = False
