"""States of runs and steps, and the arrows between them, as one table (facts of seed 000, 3.7)."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, cast

from palabre.core.engine.errors import ArrowError
from palabre.core.engine.model import RunState, StepState
from palabre.kernel.text import Text

Subject = Literal["run", "step"]

START = "[*]"
"""Before there is any."""


@dataclass(frozen=True, slots=True)
class Arrow:
    """What happens to a run or a step that is *before*, and what it is then."""

    subject: Subject
    before: str
    event: str
    after: str


def _arrows(subject: Subject, *rows: str) -> Iterator[Arrow]:
    for row in rows:
        before, event, after = row.split()
        yield Arrow(subject, before, event, after)


ARROWS: tuple[Arrow, ...] = (
    *_arrows(
        "run",
        "[*]     enqueue queued",
        "queued  hold    queued",
        "queued  release queued",
        "queued  start   running",
        "queued  cancel  cancelled",
        "running recover queued",
        "running complete completed",
        "running fail    failed",
        "running cancel  cancelled",
        "running block   blocked",
        "running lack    not_configured",
    ),
    *_arrows(
        "step",
        "[*]     enqueue queued",
        "queued  start   running",
        "queued  reuse   completed",
        "queued  block   blocked",
        "queued  lack    not_configured",
        "queued  cancel  cancelled",
        "queued  skip    skipped",
        "running recover queued",
        "running ask     waiting",
        "running complete completed",
        "running fail    failed",
        "running cancel  cancelled",
        "running block   blocked",
        "running lack    not_configured",
        "waiting answer  queued",
        "waiting cancel  cancelled",
        "waiting skip    skipped",
    ),
)

_AFTER = {(each.subject, each.before, each.event): each.after for each in ARROWS}

PRECEDENCE: tuple[RunState, ...] = (
    "cancelled", "failed", "not_configured", "blocked", "completed",
)  # fmt: skip
"""A run ends as the first of these that one of its steps ended as."""

FINISHING: dict[RunState, str] = {
    "cancelled": "cancel",
    "failed": "fail",
    "not_configured": "lack",
    "blocked": "block",
    "completed": "complete",
}
"""The event by which a run ends in each state."""


def run_after(state: RunState, event: str) -> RunState:
    """Return what a run that is *state* is after *event*; raises `ArrowError` if there is none."""
    return cast("RunState", _after("run", state, event))


def step_after(state: StepState, event: str) -> StepState:
    """Return what a step that is *state* is after *event*; raises `ArrowError` if there is none."""
    return cast("StepState", _after("step", state, event))


def _after(subject: Subject, state: str, event: str) -> str:
    after = _AFTER.get((subject, state, event))
    if after is None:
        raise ArrowError(subject=subject, state=state, event=event)
    return after


def is_final(subject: Subject, state: str) -> bool:
    """Whether no arrow leaves *state*."""
    return not any(each.subject == subject and each.before == state for each in ARROWS)


def outcome(states: Iterable[StepState], *, cancelled: bool = False) -> RunState:
    """Return how a run ends whose steps ended as *states*; one without steps is completed.

    Args:
        states: Of all its steps; all are final.
        cancelled: Whether somebody cancelled it, though every step may have ended before.
    """
    found: set[str] = {*states, *(["cancelled"] if cancelled else [])}
    return next((each for each in PRECEDENCE if each in found), "completed")


def diagram(subject: Subject, name: Callable[[str], str] = str) -> str:
    """Return the arrows of *subject* as a state diagram in Mermaid; *name* names events."""
    arrows = [each for each in ARROWS if each.subject == subject]
    ends = dict.fromkeys(each.after for each in arrows if is_final(subject, each.after))
    lines = [f"    {each.before} --> {each.after}: {name(each.event)}" for each in arrows]
    lines += [f"    {state} --> {START}" for state in ends]
    return "\n".join(["stateDiagram-v2", *lines, ""])


def state_title(state: str) -> Text:
    """Return what people call a state of a run or a step."""
    return Text(f"engine_state.{state}")


def event_title(event: str) -> Text:
    """Return what people call an event of `ARROWS`."""
    return Text(f"engine_event.{event}")
