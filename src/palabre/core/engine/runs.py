"""What can happen to a run and its steps. Pure: each takes a run and returns the next one.

Every change of a state goes along an arrow of `states.ARROWS`, or raises `ArrowError`: so two
workers that begin the same step in `RunStore.change` cannot both succeed.
"""

from dataclasses import replace
from datetime import datetime

from palabre.core.engine.artifacts import Artifact
from palabre.core.engine.errors import NoQuestionError
from palabre.core.engine.model import Answer, NodeId, Run, RunId, Step
from palabre.core.engine.states import FINISHING, is_final, outcome, run_after, step_after
from palabre.core.engine.step import Blocked, Done, NotConfigured, StepResult
from palabre.kernel.text import Text


def held(run: Run) -> Run:
    """Keep a queued run from beginning."""
    return replace(run, state=run_after(run.state, "hold"), held=True)


def released(run: Run, now: datetime) -> Run:
    """Let a held run begin."""
    return replace(run, state=run_after(run.state, "release"), held=False, queued_at=now)


def begun(run: Run, now: datetime) -> Run:
    """Let a run begin; one that was begun before keeps its hour."""
    state = run_after(run.state, "start")
    return replace(run, state=state, started_at=run.started_at or now)


def recovered(run: Run, now: datetime) -> Run:
    """Queue a run again whose worker is lost; what is finished stays so."""
    steps = tuple(
        replace(each, state=step_after(each.state, "recover")) if each.state == "running" else each
        for each in run.steps
    )
    count = run.recovery_count + 1
    state = run_after(run.state, "recover")
    return replace(run, state=state, steps=steps, recovered_at=now, recovery_count=count)


def cancelled(run: Run, now: datetime) -> Run:
    """End a run, and what of it has not ended, at the wish of somebody."""
    ended = replace(run, state=run_after(run.state, "cancel"), held=False)
    asked = run.cancel_requested_at or now
    return replace(_all_ended(ended, "cancel", now), cancel_requested_at=asked, finished_at=now)


def cancel_asked(run: Run, now: datetime) -> Run:
    """Note that somebody wants *run* to end, once; nothing begins any more."""
    run_after(run.state, "cancel")
    return replace(run, cancel_requested_at=run.cancel_requested_at or now)


def finished(run: Run, now: datetime) -> Run:
    """End a run each of whose steps has ended, as `states.outcome` says."""
    asked = run.cancel_requested_at is not None
    state = outcome((each.state for each in run.steps), cancelled=asked)
    return replace(run, state=run_after(run.state, FINISHING[state]), finished_at=now)


def skipped(run: Run, now: datetime) -> Run:
    """End the steps that will not begin, or go on, because another one failed."""
    return _all_ended(run, "skip", now, leaving=("running",))


def started(run: Run, node_id: NodeId, cache_key: str, now: datetime) -> Run:
    """Let a step begin; raises `ArrowError` if somebody else did, or if the run is to end."""
    step = run.step(node_id)
    if run.cancel_requested_at is not None:
        step_after("cancelled", "start")
    begun_at = step.started_at or now
    return _put(
        run, step, "start", started_at=begun_at, cache_key=cache_key, attempt=step.attempt + 1
    )


def reused(
    run: Run,
    node_id: NodeId,
    outputs: tuple[Artifact, ...],
    cache_key: str,
    source: RunId,
    now: datetime,
) -> Run:
    """Let a step take over the *outputs* of an equal step of the run *source*."""
    step = run.step(node_id)
    return _put(
        run,
        step,
        "reuse",
        outputs=outputs,
        cache_key=cache_key,
        reused_from=source,
        started_at=now,
        finished_at=now,
    )


def ended(run: Run, node_id: NodeId, result: StepResult, now: datetime) -> Run:
    """Let a running step end, or wait, as *result* says."""
    step = run.step(node_id)
    match result:
        case Done(outputs, details):
            return _put(run, step, "complete", outputs=outputs, details=details, finished_at=now)
        case Blocked(why):
            return blocked(run, node_id, why, now)
        case NotConfigured(why):
            return lacking(run, node_id, why, now)
        case _:
            return _put(run, step, "ask", question=result.question, answer=None)


def failed(run: Run, node_id: NodeId, why: Text, now: datetime) -> Run:
    """Let a running step fail."""
    return _put(run, run.step(node_id), "fail", error=why, finished_at=now)


def blocked(run: Run, node_id: NodeId, why: Text, now: datetime) -> Run:
    """End a step to which something is missing."""
    return _put(run, run.step(node_id), "block", error=why, finished_at=now)


def lacking(run: Run, node_id: NodeId, why: Text, now: datetime) -> Run:
    """End a step for which something is not set up."""
    return _put(run, run.step(node_id), "lack", error=why, finished_at=now)


def answered(run: Run, node_id: NodeId, answer: Answer) -> Run:
    """Queue a waiting step again, with what a person answered.

    Raises:
        NoQuestionError: It waits for none, or not for this choice.
    """
    step = next((each for each in run.steps if each.id == node_id), None)
    if step is None or step.question is None or step.state != "waiting":
        raise NoQuestionError(step=node_id)
    if answer.choice not in step.question.choices:
        raise NoQuestionError(step=node_id)
    return _put(run, step, "answer", answer=answer)


def repeated(old: Run, run: Run) -> Run:
    """Let the new *run* of the same graph keep what *old* finished, and do the rest.

    Answers of persons are outcomes of their steps, so they are kept too.
    """
    before = {each.id: each for each in old.steps if each.state == "completed"}
    steps = tuple(_kept(before.get(each.id), each, old.id) for each in run.steps)
    return replace(run, steps=steps, retry_of=old.id)


def _kept(before: Step | None, fresh: Step, source: RunId) -> Step:
    if before is None:
        return fresh
    state = step_after(fresh.state, "reuse")
    return replace(before, state=state, reused_from=before.reused_from or source)


def _all_ended(run: Run, event: str, now: datetime, leaving: tuple[str, ...] = ()) -> Run:
    for step in run.steps:
        if not is_final("step", step.state) and step.state not in leaving:
            run = _put(run, step, event, finished_at=now)
    return run


def _put(run: Run, step: Step, event: str, **changes: object) -> Run:
    moved = replace(step, state=step_after(step.state, event), **changes)  # type: ignore[arg-type]
    return replace(run, steps=tuple(moved if each.id == step.id else each for each in run.steps))
