"""What the engine needs from the outside. All stores raise `StorageError` when they fail."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from palabre.core.engine.artifacts import Artifact
from palabre.core.engine.model import Answer, Graph, GraphId, NodeId, Run, RunId
from palabre.core.tools.model import Json


class GraphStore(Protocol):
    """Keeps graphs, every version of them."""

    async def all(self) -> Sequence[Graph]:
        """Return the newest version of each graph, the one saved last first."""
        ...

    async def find(self, graph_id: GraphId, version: int | None = None) -> Graph | None:
        """Return a graph, the newest version with None; None if there is none."""
        ...

    async def save(self, graph: Graph) -> None:
        """Keep *graph* as one more version.

        Raises:
            GraphChangedError: Its version is not one more than the newest: somebody was faster.
        """
        ...


class RunStore(Protocol):
    """Keeps runs with their steps, and the logs of steps."""

    async def add(self, run: Run) -> None:
        """Keep the new *run*."""
        ...

    async def find(self, run_id: RunId) -> Run | None:
        """Return a run; None if there is none."""
        ...

    async def change(self, run_id: RunId, change: "Callable[[Run], Run]") -> Run:
        """Put `change(run)` in the place of the run, and return it.

        Nobody else changes it meanwhile, in this process or another: *change* is pure and may be
        called again. What it raises is raised, and nothing is changed.

        Raises:
            RunNotFoundError: There is none of that id.
        """
        ...

    async def latest(self, limit: int, *, graph_id: GraphId | None = None) -> Sequence[Run]:
        """Return the newest *limit* runs, newest first, of one graph or of all (None)."""
        ...

    async def unfinished(self) -> Sequence[Run]:
        """Return the runs that are queued or running, oldest first."""
        ...

    async def cached(self, cache_key: str) -> tuple[RunId, Sequence[Artifact]] | None:
        """Return the outputs of the newest completed step of that key, and the run that made them.

        None if there is none; a step that took its outputs over does not count.
        """
        ...

    async def add_log(self, run_id: RunId, node_id: NodeId, lines: Sequence[str]) -> None:
        """Add *lines* to the log of a step, which keeps its newest 10 000."""
        ...

    def log(self, run_id: RunId, node_id: NodeId) -> AsyncIterator[Sequence[str]]:
        """Yield the log of a step in pieces, oldest first."""
        ...


class ArtifactStore(Protocol):
    """Keeps what steps make, in `artifacts/<run>/<step>/`, with `summary.json` a run."""

    async def of_run(self, run_id: RunId) -> Sequence[Artifact]:
        """Return the artifacts of a run in the order of its steps; empty without any."""
        ...

    def content(self, artifact: Artifact, file: str) -> AsyncIterator[bytes]:
        """Yield the bytes of one of its files, by name, in pieces.

        Raises:
            ArtifactNotFoundError: It has no such file, or it is gone.
        """
        ...

    async def is_whole(self, artifact: Artifact) -> bool:
        """Whether its files are there, as large as they were."""
        ...

    async def summarise(self, run: Run) -> None:
        """Write `summary.json` of *run*."""
        ...

    async def forget(self, run_id: RunId) -> None:
        """Delete the artifacts of a run."""
        ...


class JobRunner(Protocol):
    """Lets runs happen, durably: what was enqueued ends, whatever dies meanwhile.

    The run itself is in the `RunStore` before it is enqueued.
    """

    async def enqueue(self, run_id: RunId) -> None:
        """Begin the run when its turn comes; a second time changes nothing."""
        ...

    async def hold(self, run_id: RunId) -> None:
        """Keep a queued run from beginning; raises `ArrowError` when it began."""
        ...

    async def release(self, run_id: RunId) -> None:
        """Let a held run begin when its turn comes; raises `ArrowError` when it is not queued."""
        ...

    async def cancel(self, run_id: RunId) -> None:
        """End this run and no other: at once when queued, within two seconds when running.

        When this returns, nothing of it runs any more, and none of its progress is told later.

        Raises:
            ArrowError: It has ended already.
        """
        ...

    async def answer(self, run_id: RunId, node_id: NodeId, answer: Answer) -> None:
        """Let the step that waits for *answer* go on.

        Raises:
            NoQuestionError: It waits for none, or not for this choice.
        """
        ...

    async def workers(self) -> "Sequence[Worker]":
        """Return who is there to work, and for which runtimes."""
        ...


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that performs steps.

    Attributes:
        seen_at: When it last said that it lives.
        steps: How many it performs now.
    """

    id: str
    runtimes: frozenset[str]
    seen_at: datetime
    steps: int


@dataclass(frozen=True, slots=True)
class Limits:
    """What a command may take; the whole of its process group counts.

    Attributes:
        network: Whether it may use the network; where the kernel does not let us forbid it,
            `Sandbox.missing` says so.
    """

    time_s: float = 1800.0
    memory_bytes: int = 4096 * 1024 * 1024
    processes: int = 64
    file_bytes: int = 16 * 1024 * 1024 * 1024
    open_files: int = 256
    network: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """Something to be run.

    Attributes:
        words: The program and its arguments; no shell reads them.
        folder: Where it works, absolute; the only place that it is meant to write to.
        environment: All that it has of it, besides `PATH`, `HOME` (the folder) and `LANG`.
    """

    words: tuple[str, ...]
    folder: str
    environment: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)


Ending = Literal["exited", "timed_out", "out_of_memory", "killed"]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended; *status* is its exit status, or minus the signal."""

    how: Ending
    status: int


class Sandbox(Protocol):
    """Runs commands of strangers within limits."""

    async def run(self, command: Command, on_line: Callable[[str], None]) -> Ended:
        """Run *command*; tell each line it writes, to either stream, cut at 8 kB.

        When this returns, or is cancelled, its process group is gone, and proven to be.

        Raises:
            CommandFailedError: It cannot be started.
        """
        ...

    async def missing(self) -> Sequence[str]:
        """Return which limits cannot be held on this machine, such as `network`."""
        ...


ModelFamily = Literal["base", "finetuned", "lora"]


@dataclass(frozen=True, slots=True)
class RegisteredModel:
    """One version of a model that can be deployed.

    Attributes:
        name: `<alias>_v<version>`.
        alias: Under which versions are counted, from 1.
        base: What it was made from.
        run_id: The run that made it; *dataset_digest* is what it was trained on.
        once: `StepCall.once` of the step that registered it.
    """

    name: str
    alias: str
    version: int
    family: ModelFamily
    base: str
    created_at: datetime
    run_id: str
    once: str
    dataset_digest: str = ""
    metrics: Mapping[str, Json] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    files: Artifact | None = None


class ModelRegistryStore(Protocol):
    """Keeps which models were made, from what, and how good they are."""

    async def all(self) -> Sequence[RegisteredModel]:
        """Return all versions of all models, newest first."""
        ...

    async def find(self, name: str) -> RegisteredModel | None:
        """Return the model of that name, or the newest of that alias; None if there is none."""
        ...

    async def register(self, draft: RegisteredModel) -> RegisteredModel:
        """Keep *draft* as the next version of its alias; its name and version are made here.

        A draft whose `once` is known already is returned as it was kept.
        """
        ...

    async def tag(self, name: str, tags: Sequence[str]) -> RegisteredModel:
        """Put *tags* in the place of those of a model; raises `ModelNotRegisteredError`."""
        ...


class Deployer(Protocol):
    """Brings registered models to where they answer."""

    async def deploy(self, model: RegisteredModel, name: str, once: str) -> Mapping[str, Json]:
        """Let *model* answer as *name*; return what a page shows of it. Twice is as once.

        Raises:
            UpstreamError: The place is out of reach, or the model did not answer as it should;
                what answered before still does.
        """
        ...
