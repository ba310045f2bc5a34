"""What a kind of node is: what it takes, makes, needs and does.

One file of `features/nodes/` holds one `NodeType` in a constant `NODE`; `kernel.registry.discover`
finds it. Its words are `node.<name>.title`, `node.<name>.about`, and `param.<label>.title`,
`param.<label>.about` for each of its parameters.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal, get_args

from palabre.core.engine.artifacts import Kind
from palabre.core.engine.model import Runtime
from palabre.core.engine.services import Services
from palabre.core.engine.step import StepCall, StepContext, StepResult
from palabre.core.tools.model import Json
from palabre.kernel.text import Text, text

Family = Literal[
    "source", "processing", "builder", "training", "evaluation", "registry", "deployment"
]
FAMILIES: tuple[Family, ...] = get_args(Family)

Place = Literal["loop", "process"]

CPU: tuple[Runtime, ...] = ("local_cpu", "local_gpu")
CPU_OR_CLUSTER: tuple[Runtime, ...] = (*CPU, "cluster")
STEP_TIMEOUT_S = 600.0
"""Longest step, unless its type says otherwise (facts of seed 000, 3.7 c)."""


@dataclass(frozen=True, slots=True)
class Input:
    """A port that edges lead to.

    Attributes:
        required: Whether the step is blocked while nothing comes.
        many: Whether several edges may lead here.
    """

    name: str
    kind: Kind
    required: bool = True
    many: bool = False


@dataclass(frozen=True, slots=True)
class Output:
    """A port that edges start from.

    Attributes:
        like: The input whose kind it has; empty if *kind* is what it always is.
    """

    name: str
    kind: Kind
    like: str = ""


ParamKind = Literal["text", "long_text", "integer", "number", "boolean", "choice", "texts"]


@dataclass(frozen=True, slots=True)
class Param:
    """Something to enter at a node.

    Attributes:
        default: In the place of nothing; None where nothing stays nothing.
        required: Whether nothing is a fault.
        least: Smallest number; None without a bound. So *most*.
        choices: What a `choice` can be.
        max_chars: Longest text, and longest of several.
        label: Under which its words are; empty stands for *name*.
    """

    name: str
    kind: ParamKind
    default: Json = None
    required: bool = False
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    max_chars: int = 2000
    label: str = ""

    @property
    def title(self) -> Text:
        """What people call it."""
        return Text(f"param.{self.label or self.name}.title")

    @property
    def about(self) -> Text:
        """What it does."""
        return Text(f"param.{self.label or self.name}.about")


def _nothing_lacks(services: Services) -> Text | None:  # noqa: ARG001 - the shape of `lacks`
    return None


@dataclass(frozen=True, slots=True)
class NodeType:
    """A kind of node.

    Attributes:
        run: Performs one step. It is called again, from the start, after its worker was lost,
            and after a person answered: whatever it does outside of its folder must be the same
            when done twice (`StepCall.once` names it).
        lacks: Why it can never run with these services, such as a missing address; None if it
            can. The step is `not_configured` then.
        runtimes: Where it may run; the first is what an editor proposes.
        cacheable: Whether equal inputs and parameters always make equal outputs, so that those
            of an earlier step may be taken over.
        version: To be raised when it makes something else of the same: caches forget it then.
        place: `process` for what computes: the step gets a child process of its own, and
            of the services, `folder`, `sandbox` and `programs` alone are there. `loop` for what
            waits for others: it shares the worker's event loop, which it never blocks over
            50 ms.
        timeout_s: Longest step; a parameter of that name, if there is one, has the last word.
    """

    name: str
    family: Family
    run: Callable[[StepCall, StepContext], Awaitable[StepResult]]
    inputs: tuple[Input, ...] = ()
    outputs: tuple[Output, ...] = ()
    params: tuple[Param, ...] = ()
    runtimes: tuple[Runtime, ...] = CPU
    lacks: Callable[[Services], Text | None] = field(default=_nothing_lacks)
    cacheable: bool = False
    version: int = 1
    place: Place = "loop"
    timeout_s: float = STEP_TIMEOUT_S

    @property
    def title(self) -> Text:
        """What people call it."""
        return Text(f"node.{self.name}.title")

    @property
    def about(self) -> Text:
        """What it is for, in one sentence."""
        return Text(f"node.{self.name}.about")

    def input(self, name: str) -> Input | None:
        """Return the input of that name; None if there is none."""
        return next((each for each in self.inputs if each.name == name), None)

    def output(self, name: str) -> Output | None:
        """Return the output of that name; None if there is none."""
        return next((each for each in self.outputs if each.name == name), None)

    def param(self, name: str) -> Param | None:
        """Return the parameter of that name; None if there is none."""
        return next((each for each in self.params if each.name == name), None)


def family_title(family: Family) -> Text:
    """Return what people call *family*."""
    return text(f"node_family.{family}")
