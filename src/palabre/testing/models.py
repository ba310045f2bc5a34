"""A model provider that answers from a script."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass

from palabre.core.models.errors import ModelNotFoundError
from palabre.core.models.model import (
    AnswerEnded,
    AnswerEvent,
    AnswerGrew,
    AnswerStarted,
    ChatRequest,
    EmbeddingPurpose,
    ModelInfo,
    ProviderHealth,
    PullProgress,
    ThoughtGrew,
    ToolCall,
    ToolCalled,
)
from palabre.kernel.errors import UpstreamError
from palabre.kernel.text import verbatim

DIMENSIONS = 4


@dataclass(frozen=True, slots=True)
class Answer:
    """One scripted answer.

    Attributes:
        pieces: Texts, one event each; an empty one is left out.
        thoughts: What the model thinks before it speaks.
        calls: Tools that it asks for after the pieces.
        error: Raised after the pieces, instead of the end.
        first_delay_s: Wait before the first piece.
        delay_s: Wait before each other piece.
        gate: Waited for before the first piece, if given: the test says when.
    """

    pieces: tuple[str, ...] = ("D'accord.",)
    thoughts: tuple[str, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    error: UpstreamError | None = None
    first_delay_s: float = 0.0
    delay_s: float = 0.0
    gate: asyncio.Event | None = None


class ScriptedProvider:
    """Gives its answers in order, the last one again and again.

    Attributes:
        requests: Every request so far.
        embedded: Every (text, purpose) so far that was to become a vector.
        open_calls: Calls that run now.
        closed_early: Calls that ended before their answer did.
        installed: What `models` returns.
        down: Reason why it does not answer; empty while it does.
    """

    def __init__(
        self,
        *answers: Answer | str,
        name: str = "scripted",
        models: Iterable[ModelInfo | str] = ("parrot",),
    ) -> None:
        self.name = name
        self.title = name.capitalize()
        self.requests: list[ChatRequest] = []
        self.embedded: list[tuple[str, EmbeddingPurpose]] = []
        self.open_calls = 0
        self.closed_early = 0
        self.down = ""
        self.lists_asked = 0
        self.closed = False
        self.installed = [
            ModelInfo(name, model) if isinstance(model, str) else model for model in models
        ]
        self.script(*answers or (Answer(),))

    def script(self, *answers: Answer | str) -> None:
        """Give *answers* from now on."""
        self._answers = deque(_answer(each) for each in answers)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[AnswerEvent]:
        """Record *request* and give the next answer."""
        self.requests.append(request)
        answer = self._answers.popleft() if len(self._answers) > 1 else self._answers[0]
        self.open_calls += 1
        whole = False
        try:
            yield AnswerStarted()
            self._check(request.model)
            async for event in _events(answer):
                yield event
            whole = True
        finally:
            self.open_calls -= 1
            self.closed_early += not whole

    async def embed(
        self,
        model: str,
        texts: Sequence[str],
        purpose: EmbeddingPurpose = "passage",
    ) -> list[list[float]]:
        """Return a small vector made from each text's length."""
        self._check(model)
        self.embedded += [(text, purpose) for text in texts]
        return [[float(len(text)), *[0.0] * (DIMENSIONS - 1)] for text in texts]

    async def health(self) -> ProviderHealth:
        """Say whether `down` is empty."""
        return ProviderHealth(ok=not self.down, detail=verbatim(self.down or "1.0"))

    async def models(self) -> list[ModelInfo]:
        """Return `installed`."""
        self.lists_asked += 1
        self._check()
        return list(self.installed)

    async def pull(self, model: str) -> AsyncGenerator[PullProgress]:
        """Install *model* in two steps."""
        self._check()
        yield PullProgress("pulling", 0, 2)
        yield PullProgress("pulling", 2, 2)
        self.installed.append(ModelInfo(self.name, model))
        yield PullProgress("success")

    async def aclose(self) -> None:
        """Note that it was closed."""
        self.closed = True

    def _check(self, model: str | None = None) -> None:
        if self.down:
            raise UpstreamError(detail=self.down)
        if model is not None and model not in {info.id for info in self.installed}:
            raise ModelNotFoundError(detail=f"model {model} not found")


def _answer(given: Answer | str) -> Answer:
    return Answer((given,)) if isinstance(given, str) else given


async def _events(answer: Answer) -> AsyncGenerator[AnswerEvent]:
    if answer.gate is not None:
        await answer.gate.wait()
    await asyncio.sleep(answer.first_delay_s)
    for thought in answer.thoughts:
        yield ThoughtGrew(thought)
    for piece in answer.pieces:
        if piece:
            yield AnswerGrew(piece)
        await asyncio.sleep(answer.delay_s)
    if answer.error is not None:
        raise answer.error
    for call in answer.calls:
        yield ToolCalled(call)
    yield AnswerEnded("stop", None, len(answer.pieces))
