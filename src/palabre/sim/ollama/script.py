"""What the simulated Ollama has and says, written as TOML. See `docs/simulators.md`."""

import re
from enum import StrEnum
from typing import Annotated

from pydantic import Field, model_validator

from palabre.sim.script import Table, read_script


class Split(StrEnum):
    """How an answer's lines are cut into writes."""

    NONE = "none"
    """One write a line."""
    BYTES = "bytes"
    """Cut after a few bytes each, also inside characters."""
    LINES = "lines"
    """All lines in one write."""


class Fault(StrEnum):
    """How an answer fails."""

    HTTP = "http"
    """A status and a JSON error instead of an answer."""
    IN_STREAM = "in_stream"
    """An error object after some tokens; the stream then ends."""
    CUT = "cut"
    """Half a line after some tokens, then the connection closes."""
    LOADING = "loading"
    """503: the model is still being loaded."""
    SILENT = "silent"
    """Nothing more after some tokens, for ever."""


Rate = Annotated[float, Field(gt=0)]
Delay = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]


class Model(Table):
    """One installed model.

    Attributes:
        name: With its tag; without one, `:latest` is meant.
        size_bytes: Size of the weights.
        parameters: As Ollama writes them, such as `8.2B`.
        capabilities: Ollama's own words: `completion`, `tools`, `vision`, `embedding`, `thinking`.
        embedding_dims: Length of its vectors.
        loaded: Whether it is in memory from the start.
    """

    name: Annotated[str, Field(min_length=1)]
    size_bytes: Count = 5_225_388_164
    family: str = "qwen3"
    parameters: Annotated[str, Field(pattern=r"^\d+(\.\d+)?[KMB]$")] = "8.2B"
    quantization: str = "Q4_K_M"
    context_tokens: Annotated[int, Field(gt=0)] = 40_960
    capabilities: tuple[str, ...] = ("completion",)
    embedding_dims: Annotated[int, Field(gt=0)] = 768
    loaded: bool = False


class Tool(Table):
    """A tool that the model asks for."""

    name: Annotated[str, Field(min_length=1)]
    arguments: dict[str, object] = Field(default_factory=dict)


class Answer(Table):
    """One rule; the first that fits a call, and is not used up, answers it.

    Attributes:
        when: Part of what the user said (see `spoken`), letters' case aside; None fits all.
        when_regex: Searched in the same.
        persona: Part of the system message, letters' case aside.
        model: Name of the model that was asked.
        when_images: Whether the user's last message shows pictures; None fits all.
        when_format: Whether a `format` is demanded; None fits all.
        tool: What it asks for, where the request offers it, before the tool has answered;
            the text comes after.
        text: The answer, sent word by word; None for the improvised one.
        tokens: The answer, piece by piece as given; replaces `text`.
        thinking: Reasoning before it, in the field of its own.
        stamp: Whether each token starts with `~T<16 hex digits>~`: this machine's monotonic
            clock, in nanoseconds, when it was sent.
        tokens_per_s: None takes the script's; so `first_token_delay_s` and `split`.
        error: How it fails.
        after_tokens: Where it fails, for the errors inside a stream.
        status: HTTP status of `http`.
        message: Words of the error; None takes Ollama's.
        times: How often it answers; None is for ever.
    """

    when: str | None = None
    when_regex: str | None = None
    persona: str | None = None
    model: str | None = None
    when_images: bool | None = None
    when_format: bool | None = None
    tool: Tool | None = None
    text: str | None = None
    tokens: tuple[str, ...] | None = None
    thinking: str = ""
    stamp: bool = False
    tokens_per_s: Rate | None = None
    first_token_delay_s: Delay | None = None
    split: Split | None = None
    error: Fault | None = None
    after_tokens: Count = 0
    status: Annotated[int, Field(ge=400, le=599)] = 500
    message: str | None = None
    times: Annotated[int, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _coherent(self) -> "Answer":
        if self.text is not None and self.tokens is not None:
            raise ValueError("text and tokens exclude each other")
        if self.when_regex is not None:
            _require_regex(self.when_regex)
        return self

    def fits(
        self, *, model: str, system: str, user: str, images: bool = False, formatted: bool = False
    ) -> bool:
        """Say whether this rule answers a call."""
        return (
            self.when_images in {None, images}
            and self.when_format in {None, formatted}
            and (self.model is None or with_tag(self.model) == model)
            and (self.persona is None or self.persona.casefold() in system.casefold())
            and (self.when is None or self.when.casefold() in user.casefold())
            and (self.when_regex is None or re.search(self.when_regex, user) is not None)
        )


class Pull(Table):
    """How downloads go.

    Attributes:
        duration_s: Time that one takes.
        steps: Progress lines of one.
        unknown: Names that cannot be found.
    """

    duration_s: Delay = 2.0
    steps: Annotated[int, Field(gt=0)] = 20
    unknown: tuple[str, ...] = ()


DEFAULT_MODELS = (
    Model(name="qwen3:8b", capabilities=("completion", "tools", "thinking"), loaded=True),
    Model(name="qwen2.5:14b", size_bytes=8_988_124_069, family="qwen2", parameters="14.8B"),
    Model(name="mistral:7b", size_bytes=4_372_824_384, family="llama", parameters="7.2B"),
    Model(
        name="qwen3-vl:8b",
        size_bytes=6_140_415_571,
        family="qwen3vl",
        parameters="8.8B",
        capabilities=("completion", "vision", "tools"),
    ),
    Model(
        name="nomic-embed-text:latest",
        size_bytes=274_302_450,
        family="nomic-bert",
        parameters="137M",
        quantization="F16",
        context_tokens=2048,
        capabilities=("embedding",),
    ),
)


class Script(Table):
    """A whole simulated Ollama.

    Attributes:
        version: What `/api/version` says.
        seed: Where `split = "bytes"` cuts.
        tokens_per_s: Pace of all answers that set none; so the next two.
        model: The installed models.
        answer: The rules; a call that none fits is answered as `Answer()` says.
    """

    version: str = "0.12.6"
    seed: int = 1
    tokens_per_s: Rate = 20.0
    first_token_delay_s: Delay = 0.2
    split: Split = Split.NONE
    model: tuple[Model, ...] = DEFAULT_MODELS
    answer: tuple[Answer, ...] = ()
    pull: Pull = Pull()


def parse_script(source: str) -> Script:
    """Read a script.

    Raises:
        ScriptError: *source* is not TOML, or has mistakes; all of them are told.
    """
    return read_script(source, Script)


def with_tag(model: str) -> str:
    """Return *model* with the tag that Ollama adds."""
    return model if ":" in model.rpartition("/")[2] else f"{model}:latest"


def spoken(message: str) -> str:
    """Return *message* without the background that a program adds: paragraphs headed `[...]`.

    Background ends the message, or begins it; then what was said is the last paragraph.
    """
    if message.startswith("["):
        return message.rpartition("\n\n")[2]
    return message.partition("\n\n[")[0]


def _require_regex(pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        msg = f"when_regex: {error}"
        raise ValueError(msg) from error
