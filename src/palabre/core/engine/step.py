"""The contract between a node type and whoever performs its steps."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

from palabre.core.engine.artifacts import Artifact, FileFormat, Kind, Record
from palabre.core.engine.model import Answer, NodeId, Params, Question, RunId
from palabre.core.engine.services import Services
from palabre.core.tools.model import Json
from palabre.kernel.text import Text

PIECE_BYTES = 256 * 1024
"""About how much of a dataset is in memory at once: little enough to be worked on within 50 ms."""


@dataclass(frozen=True, slots=True)
class StepCall:
    """What one step is asked.

    Attributes:
        actor: Who asked for the run.
        params: Checked: each parameter of the type is there, of its kind and within its bounds;
            None where nothing was entered and nothing is the default.
        inputs: Artifacts by input, in the order of the edges; an input without any is absent.
        attempt: From 1; more after a recovery, or after a person answered.
        answer: What a person answered to the question of an earlier attempt; None if none did.
    """

    run_id: RunId
    node_id: NodeId
    runtime: str
    actor: str
    params: Params
    inputs: Mapping[str, Sequence[Artifact]] = field(default_factory=dict)
    attempt: int = 1
    answer: Answer | None = None

    @property
    def once(self) -> str:
        """A name for what the step does outside: the same in every attempt, and in no other step.

        Registries and servers that are told it know what they have done already.
        """
        return f"{self.run_id}/{self.node_id}"

    def given(self, name: str) -> Artifact:
        """Return the one artifact of a required input; raises `KeyError` without one."""
        return self.inputs[name][0]

    def words(self, name: str) -> str:
        """Return the parameter *name* as a text; empty where nothing was entered."""
        value = self.params.get(name)
        return value if isinstance(value, str) else ""

    def number(self, name: str) -> float:
        """Return the parameter *name* as a number; raises `KeyError` if it is none."""
        value = self.params.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise KeyError(name)
        return value

    def is_on(self, name: str) -> bool:
        """Whether the parameter *name* is true."""
        return self.params.get(name) is True


@dataclass(frozen=True, slots=True)
class Done:
    """The step did what it is for.

    Attributes:
        outputs: One a port of the type's outputs; a port may be left out if nothing needs it.
        details: To be shown, such as counts.
    """

    outputs: tuple[Artifact, ...]
    details: Params = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Waiting:
    """The step goes on when a person answered; until then it holds no worker."""

    question: Question


@dataclass(frozen=True, slots=True)
class Blocked:
    """Something that the step was to be given is not there, such as an empty dataset."""

    why: Text


@dataclass(frozen=True, slots=True)
class NotConfigured:
    """Something that the owner would have to set up is not there."""

    why: Text


StepResult = Done | Waiting | Blocked | NotConfigured
"""How a step ends that does not fail. One that fails raises: a `PalabreError` says why."""


class RecordWriter(Protocol):
    """Takes the rows of one file."""

    async def write(self, records: Sequence[Record]) -> None:
        """Add *records*; raises `StorageError` when there is no room."""
        ...


class StepFiles(Protocol):
    """The files of one step. Nothing is whole in memory; nothing blocks the event loop.

    What a step wrote is an output only when `artifact` says so; its files come in the order in
    which they were opened. Those of an attempt that was cut are gone before the next one begins.
    """

    def records(self, artifact: Artifact, part: str | None = None) -> AsyncGenerator[list[Record]]:
        """Yield the rows of *artifact* in pieces of about `PIECE_BYTES`.

        Args:
            artifact: A dataset of any kind.
            part: Which share; None for all of them, one after the other.

        Raises:
            ArtifactNotFoundError: A file is gone, or is not what its hash says.
            DatasetUnreadableError: A row is no JSON object.
        """
        ...

    def writing(self, output: str, part: str = "") -> AbstractAsyncContextManager[RecordWriter]:
        """Open the file of one share of *output*; it is whole and hashed when the block ends.

        A block that is left by an error leaves no file.
        """
        ...

    async def keep(self, output: str, format_: FileFormat, content: bytes) -> None:
        """Make *content* (a table, a plot: at most some MB) a file of *output*."""
        ...

    def folder(self) -> str:
        """Return the step's own folder, absolute: what commands of the sandbox work in."""
        ...

    async def adopt(self, output: str, name: str, format_: FileFormat) -> None:
        """Make the file *name* of `folder`, which a command wrote, a file of *output*.

        Raises:
            ArtifactNotFoundError: It is not there, or lies outside of the folder.
        """
        ...

    def path(self, artifact: Artifact, part: str = "") -> str:
        """Return where the first file of *artifact* and *part* is, absolute, for commands."""
        ...

    async def artifact(
        self, output: str, kind: Kind, payload: Mapping[str, Json] | None = None
    ) -> Artifact:
        """Describe what was written for *output*, as an artifact of *kind*."""
        ...


class Reporter(Protocol):
    """Tells how far a step is, and hears whether to go on. Safe to call often: it is thinned."""

    def progress(self, percent: float, message: Text | None = None) -> None:
        """Tell that *percent* (0 to 100, never less than before) is done."""
        ...

    def log(self, line: str) -> None:
        """Add a line to the step's log, which its readers see as it is."""
        ...

    def metric(self, name: str, value: float, at: int) -> None:
        """Add a point to the curve *name*, such as the loss at training step *at*."""
        ...

    def check(self) -> None:
        """Go on, or raise `asyncio.CancelledError` when the run was cancelled.

        Whatever awaits is cancelled by itself. This is for loops that compute for long.
        """
        ...


@dataclass(frozen=True, slots=True)
class StepContext:
    """What one step stands on."""

    files: StepFiles
    report: Reporter
    services: Services
