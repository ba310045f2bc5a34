"""Graphs of jobs, and runs of them (facts of seed 000, 3.7 c)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NewType, get_args

from palabre.core.engine.artifacts import Artifact
from palabre.core.tools.model import Json
from palabre.kernel.text import Text

GraphId = NewType("GraphId", str)
RunId = NewType("RunId", str)
NodeId = NewType("NodeId", str)
"""Unique in its graph; a step is called like the node that it performs."""

Runtime = Literal["local_cpu", "local_gpu", "remote_gpu", "cluster", "cloud_api"]
RUNTIMES: tuple[Runtime, ...] = get_args(Runtime)

RunState = Literal[
    "queued", "running", "completed", "failed", "cancelled", "blocked", "not_configured"
]
StepState = Literal[
    "queued",
    "running",
    "waiting",
    "completed",
    "failed",
    "cancelled",
    "blocked",
    "not_configured",
    "skipped",
]

MAX_NAME_CHARS = 120
MAX_DESCRIPTION_CHARS = 2000
"""A graph holds what either contract may send: files of V1 have names of 120 and descriptions of
600 characters, HTTP (seed 000 §16) names of 100 and descriptions of 2000. Each entrance keeps its
own limit, so HTTP still refuses a name of 101."""

MAX_TAGS = 12
MAX_NODES = 500
MAX_EDGES = 2000

Params = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Node:
    """One job of a graph.

    Attributes:
        type: Name of a `NodeType`; it may be one that nobody knows, which validation tells.
        params: As they were entered, unchecked.
        position: Where an editor draws it, in pixels from the left and the top; None leaves
            that to the editor. Nothing but an editor reads it.
    """

    id: NodeId
    type: str
    title: str
    params: Params = field(default_factory=dict)
    runtime: str = "local_cpu"
    position: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """What the output of one node gives to the input of another."""

    source: NodeId
    output: str
    target: NodeId
    input: str


@dataclass(frozen=True, slots=True)
class Graph:
    """Jobs and what they hand to each other.

    Attributes:
        runtime: Of nodes that name none.
        version: Grows by one with each save; the first is 1.
    """

    id: GraphId
    name: str
    created_at: datetime
    updated_at: datetime
    description: str = ""
    runtime: str = "local_cpu"
    tags: tuple[str, ...] = ()
    version: int = 1
    status: str = "draft"
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()

    def node(self, node_id: NodeId) -> Node | None:
        """Return the first node of that id; None if there is none."""
        return next((each for each in self.nodes if each.id == node_id), None)


@dataclass(frozen=True, slots=True)
class Step:
    """What became of one node in one run.

    Attributes:
        id: That of its node.
        order: Place in the order of the run, from 0.
        outputs: What it made, in the order of its type's outputs.
        error: Why it failed, or did not run; None otherwise.
        details: What its node told beside its outputs, such as counts.
        cache_key: See `planning.cache_key`; empty as long as its inputs are not known, and for
            types that are not cacheable.
        reused_from: The run whose outputs it took over; empty if it made them itself.
        attempt: How often it was begun; 0 before that.
    """

    id: NodeId
    type: str
    title: str
    order: int
    runtime: str
    state: StepState = "queued"
    outputs: tuple[Artifact, ...] = ()
    error: Text | None = None
    details: Params = field(default_factory=dict)
    started_at: datetime | None = None
    finished_at: datetime | None = None
    question: "Question | None" = None
    answer: "Answer | None" = None
    cache_key: str = ""
    reused_from: str = ""
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class Question:
    """What a step wants to know of a person before it goes on.

    Attributes:
        words: As the one who drew the graph wrote them.
        choices: What can be answered, such as `approve` and `reject`.
        shows: Outputs of other steps to look at.
    """

    words: str
    choices: tuple[str, ...]
    shows: tuple[Artifact, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person answered; *choice* is one of the question's."""

    choice: str
    comment: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of a graph.

    Attributes:
        graph: As it was when the run was made; what is saved later changes nothing of it.
        actor: Who asked for it.
        parameters: Values in the place of the nodes' own, by `<node id>.<param>`.
        held: Queued, and not to be begun until it is released.
        steps: In the order of the run.
        cancel_requested_at: None unless somebody asked.
        recovered_at: When it was taken up again after its worker was lost; None if never.
        retry_of: The run that it repeats; empty if none.
    """

    id: RunId
    graph: Graph
    actor: str
    created_at: datetime
    steps: tuple[Step, ...]
    state: RunState = "queued"
    runtime: str = "local_cpu"
    parameters: Params = field(default_factory=dict)
    held: bool = False
    queued_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    cancel_requested_at: datetime | None = None
    recovered_at: datetime | None = None
    recovery_count: int = 0
    retry_of: str = ""

    def step(self, node_id: NodeId) -> Step:
        """Return the step of a node; raises `KeyError` if there is none."""
        for each in self.steps:
            if each.id == node_id:
                return each
        raise KeyError(node_id)
