"""What the house offers to steps. Each is None, or empty, where the owner set nothing up."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from palabre.core.engine.artifacts import Record
from palabre.core.engine.ports import Deployer, ModelRegistryStore, Sandbox
from palabre.core.history.model import Line, Span
from palabre.core.tools.model import Json
from palabre.core.web.ports import Gateway


class DatasetFolder(Protocol):
    """The folder of the owner's own datasets; paths are relative to it and stay inside."""

    async def files(self, path: str) -> Sequence[str]:
        """Return the files of the folder *path* and those below it, sorted; *path* if it is one.

        Hidden files and symbolic links that lead outside are left out.

        Raises:
            ArtifactNotFoundError: There is nothing, or it lies outside.
        """
        ...

    def text(self, path: str) -> AsyncGenerator[str]:
        """Yield the text of a file in pieces of about 256 kB, cut anywhere between characters.

        Raises:
            ArtifactNotFoundError: There is no such file, or it lies outside.
            DatasetUnreadableError: It is no UTF-8.
        """
        ...


class DatasetHub(Protocol):
    """A hub of public datasets."""

    def records(self, repo: str, split: str, revision: str) -> AsyncIterator[Sequence[Record]]:
        """Yield the rows of one split; an empty *revision* is the newest.

        Raises:
            UpstreamError: The hub is out of reach or has no such dataset.
        """
        ...


class PromptModels(Protocol):
    """The models that rooms use too, by their names."""

    async def ask(self, model: str, prompt: str, *, system: str = "", max_tokens: int) -> str:
        """Return what *model* (`<provider>/<id>`, or a bare id) answers, without its thoughts.

        Raises:
            UpstreamError: It is not there, or fails.
        """
        ...

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return one vector a text.

        Raises:
            UpstreamError: Nothing makes vectors.
        """
        ...


class ChatHistory(Protocol):
    """What was said in the rooms; `core.history.ports.HistoryStore` is one."""

    def lines(self, span: Span) -> AsyncIterator[Sequence[Line]]:
        """Yield the lines of *span* in pieces, oldest first."""
        ...


class FeedbackPairs(Protocol):
    """Better and worse answers to the same prompts, as people judged them."""

    def pairs(self, persona_id: str | None) -> AsyncIterator[Record]:
        """Yield `prompt`, `chosen`, `rejected`, `persona` of one persona; None for all."""
        ...


class RagExaminer(Protocol):
    """Examines the search in the documents."""

    async def examine(self, questions: Sequence[Record]) -> Mapping[str, Json]:
        """Return the grades by mode; each question has `text`, `source`, `evidence`.

        Without questions they are made from the documents. Raises `UpstreamError`.
        """
        ...


class ProductTables(Protocol):
    """The program's own tables, to be read. Secrets and sessions are not among them."""

    def names(self) -> Sequence[str]:
        """Return the tables that can be read, sorted."""
        ...

    def rows(
        self, table: str, columns: Sequence[str], limit: int
    ) -> AsyncIterator[Sequence[Record]]:
        """Yield the newest *limit* rows of *table* in pieces; no columns stand for all.

        Raises:
            StepError: There is no such table or column.
        """
        ...


@dataclass(frozen=True, slots=True)
class Services:
    """What steps may use.

    Attributes:
        programs: Commands that the owner set up or that we ship, by what they are for, such as
            `dpo_training`: the first words of a command line. A node never names a program.
        deployers: By target, such as `local` or `ollama`.
    """

    folder: DatasetFolder | None = None
    hub: DatasetHub | None = None
    gateway: Gateway | None = None
    models: PromptModels | None = None
    history: ChatHistory | None = None
    feedback: FeedbackPairs | None = None
    examiner: RagExaminer | None = None
    tables: ProductTables | None = None
    registry: ModelRegistryStore | None = None
    sandbox: Sandbox | None = None
    programs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    deployers: Mapping[str, Deployer] = field(default_factory=dict)
