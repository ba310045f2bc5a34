"""What can happen to a run."""

from datetime import timedelta

import pytest

from palabre.core.engine.artifacts import Artifact, Kind
from palabre.core.engine.errors import ArrowError, NoQuestionError
from palabre.core.engine.model import Answer, NodeId, Question, Run, RunId
from palabre.core.engine.runs import (
    answered,
    begun,
    cancel_asked,
    cancelled,
    ended,
    finished,
    held,
    recovered,
    released,
    repeated,
    reused,
    skipped,
    started,
)
from palabre.core.engine.step import Blocked, Done, NotConfigured, Waiting
from palabre.kernel.text import verbatim
from palabre.testing.engine_graphs import NOON, a_graph, a_node, a_run

A, B = NodeId("a"), NodeId("b")
LATER = NOON + timedelta(hours=1)
OUT = Artifact("run_1", "a", "dataset", Kind.DATASET)
GRAPH = a_graph(a_node("a", "x"), a_node("b", "x"))


def running(*nodes: NodeId) -> Run:
    run = begun(a_run(GRAPH), NOON)
    for each in nodes:
        run = started(run, each, "key", NOON)
    return run


def states(run: Run) -> list[str]:
    return [run.state, *(each.state for each in run.steps)]


def test_a_held_run_waits_until_it_is_released() -> None:
    run = held(a_run(GRAPH))
    assert (run.held, run.state) == (True, "queued")
    run = released(run, LATER)
    assert (run.held, run.queued_at) == (False, LATER)
    with pytest.raises(ArrowError):
        held(begun(run, LATER))


def test_a_step_begins_in_one_place_alone() -> None:
    run = running(A)
    with pytest.raises(ArrowError):
        started(run, A, "", LATER)


def test_no_step_begins_once_a_cancel_is_asked() -> None:
    with pytest.raises(ArrowError):
        started(cancel_asked(running(), NOON), A, "", LATER)


def test_a_cancelled_run_ends_all_that_has_not_ended() -> None:
    run = ended(running(A), A, Done((OUT,)), NOON)
    run = cancelled(cancel_asked(run, NOON), LATER)
    assert states(run) == ["cancelled", "completed", "cancelled"]
    assert (run.cancel_requested_at, run.finished_at) == (NOON, LATER)
    with pytest.raises(ArrowError):
        cancelled(run, LATER)


def test_a_run_whose_worker_is_lost_keeps_what_is_finished() -> None:
    run = ended(running(A, B), A, Done((OUT,), {"rows": 1}), NOON)
    run = recovered(run, LATER)
    assert states(run) == ["queued", "completed", "queued"]
    assert (run.recovered_at, run.recovery_count) == (LATER, 1)
    run = started(begun(run, LATER), B, "", LATER)
    assert (run.started_at, run.step(B).started_at, run.step(B).attempt) == (NOON, NOON, 2)


def test_steps_end_as_their_node_says() -> None:
    run = ended(running(A, B), A, Blocked(verbatim("empty")), NOON)
    run = ended(run, B, NotConfigured(verbatim("no address")), NOON)
    assert states(run) == ["running", "blocked", "not_configured"]
    assert states(finished(run, LATER))[0] == "not_configured"


def test_a_person_is_waited_for_and_answers_once() -> None:
    run = ended(running(A), A, Waiting(Question("Bon ?", ("yes", "no"))), NOON)
    assert run.step(A).state == "waiting"
    answer = Answer("yes", "", "lea", LATER)
    for step, choice in ((B, "yes"), (NodeId("x"), "yes"), (A, "maybe")):
        with pytest.raises(NoQuestionError):
            answered(run, step, Answer(choice, "", "lea", LATER))
    run = answered(run, A, answer)
    assert (run.step(A).state, run.step(A).answer) == ("queued", answer)
    with pytest.raises(NoQuestionError):
        answered(run, A, answer)


def test_a_repeated_run_keeps_what_was_finished_and_where_it_came_from() -> None:
    old = finished(skipped(ended(running(A), A, Done((OUT,)), NOON), NOON), NOON)
    run = repeated(old, a_run(GRAPH, "run_2"))
    assert states(run) == ["queued", "completed", "queued"]
    assert (run.retry_of, run.step(A).reused_from, run.step(A).outputs) == (
        "run_1",
        "run_1",
        (OUT,),
    )
    again = repeated(run, a_run(GRAPH, "run_3"))
    assert (again.retry_of, again.step(A).reused_from) == ("run_2", "run_1")


def test_outputs_of_an_equal_step_are_taken_over() -> None:
    run = reused(running(), A, (OUT,), "key", RunId("run_0"), LATER)
    step = run.step(A)
    assert (step.state, step.outputs, step.reused_from, step.attempt) == (
        "completed",
        (OUT,),
        "run_0",
        0,
    )


def test_an_ended_run_cannot_end_otherwise() -> None:
    run = ended(ended(running(A, B), A, Done(()), NOON), B, Done(()), NOON)
    done = finished(run, NOON)
    assert done.state == "completed"
    with pytest.raises(ArrowError):
        finished(done, LATER)
