"""What we ask of whoever runs language models."""

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol, runtime_checkable

from palabre.core.models.model import (
    AnswerEvent,
    ChatRequest,
    EmbeddingPurpose,
    ModelInfo,
    ProviderHealth,
    PullProgress,
)


class ChatModel(Protocol):
    """Answers prompts piece by piece."""

    def stream(self, request: ChatRequest) -> AsyncGenerator[AnswerEvent]:
        """Answer *request*: `AnswerStarted`, pieces, `AnswerEnded`.

        Closing the generator, or cancelling the task that reads it, ends the call at the
        server too.

        Raises:
            UpstreamError: The server is not there, refuses, fails, or falls silent.
        """
        ...


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors; what some providers can do besides chatting."""

    async def embed(
        self, model: str, texts: Sequence[str], purpose: EmbeddingPurpose = "passage"
    ) -> list[list[float]]:
        """Return one vector a text, in order; all of the same length.

        Raises:
            UpstreamError: The server is not there, refuses or fails.
        """
        ...


@runtime_checkable
class WeightPuller(Protocol):
    """Fetches weights; what some providers can do besides chatting."""

    def pull(self, model: str) -> AsyncGenerator[PullProgress]:
        """Fetch the weights of *model*, telling how far it is.

        Raises:
            UpstreamError: It is unknown, cannot be reached, or is not what was promised.
        """
        ...


class ModelProvider(ChatModel, Protocol):
    """A place where models run."""

    @property
    def name(self) -> str:
        """First part of its models' names, such as `ollama`."""
        ...

    @property
    def title(self) -> str:
        """What people call it, such as `Ollama`."""
        ...

    async def health(self) -> ProviderHealth:
        """Say whether it answers, within two seconds; never raises."""
        ...

    async def models(self) -> list[ModelInfo]:
        """Return the models that can answer now, without a download.

        Raises:
            UpstreamError: The server is not there.
        """
        ...

    async def aclose(self) -> None:
        """Give back connections and child processes."""
        ...
