"""Ask one model one question and take the time."""

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass

from palabre.core.models.model import (
    AnswerEnded,
    AnswerGrew,
    ChatMessage,
    ChatRequest,
    ResolvedModel,
)
from palabre.core.models.registry import ModelRegistry
from palabre.kernel.clock import Clock

MAX_TOKENS = 80


@dataclass(slots=True)
class Trial:
    """How a question was answered; seconds count from the question."""

    resolved: ResolvedModel
    answer: str = ""
    first_s: float = 0.0
    total_s: float = 0.0
    tokens: int = 0

    @property
    def tokens_per_s(self) -> float:
        """Speed of the answer after its first token."""
        return max(self.tokens - 1, 0) / max(self.total_s - self.first_s, 0.001)

    def as_data(self) -> dict[str, object]:
        """Return it for programs."""
        return {
            "asked": self.resolved.asked,
            "model": self.resolved.info.ref,
            "substituted": self.resolved.substituted,
            "answer": self.answer,
            "first_token_s": round(self.first_s, 3),
            "total_s": round(self.total_s, 3),
            "tokens": self.tokens,
            "tokens_per_s": round(self.tokens_per_s, 2),
        }


async def try_model(
    registry: ModelRegistry,
    resolved: ResolvedModel,
    question: str,
    clock: Clock,
    show: Callable[[str], None],
) -> Trial:
    """Ask *question* and give each piece of the answer to *show*.

    Raises:
        UpstreamError: The model fails.
    """
    trial = Trial(resolved)
    request = ChatRequest("", (ChatMessage("user", question),), max_tokens=MAX_TOKENS)
    began_s = clock.monotonic()
    async with aclosing(registry.stream(resolved, request)) as answer:
        async for event in answer:
            match event:
                case AnswerGrew(piece):
                    trial.first_s = trial.first_s or clock.monotonic() - began_s
                    trial.answer += piece
                    trial.tokens += 1
                    show(piece)
                case AnswerEnded(answer_tokens=int(tokens)):
                    trial.tokens = tokens
    trial.total_s = clock.monotonic() - began_s
    return trial
