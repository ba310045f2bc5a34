"""States of runs and steps, and how a run ends."""

from typing import get_args

import pytest

from palabre.core.engine.errors import ArrowError
from palabre.core.engine.model import RunState, StepState
from palabre.core.engine.states import (
    ARROWS,
    FINISHING,
    PRECEDENCE,
    START,
    diagram,
    event_title,
    is_final,
    outcome,
    run_after,
    state_title,
    step_after,
)
from palabre.texts import say


@pytest.mark.parametrize(("subject", "states"), [("run", RunState), ("step", StepState)])
def test_each_state_can_be_reached_and_no_other_is_named(subject: str, states: object) -> None:
    arrows = [each for each in ARROWS if each.subject == subject]
    assert {each.after for each in arrows} == set(get_args(states))
    assert {each.before for each in arrows} <= {*get_args(states), START}


@pytest.mark.parametrize("subject", ["run", "step"])
def test_an_event_leads_to_one_state_alone(subject: str) -> None:
    keys = [(each.before, each.event) for each in ARROWS if each.subject == subject]
    assert len(keys) == len(set(keys))


def test_runs_have_the_seven_states_of_the_contract() -> None:
    final = {"completed", "failed", "cancelled", "blocked", "not_configured"}
    assert set(get_args(RunState)) == {"queued", "running", *final}
    assert {each for each in get_args(RunState) if is_final("run", each)} == final


def test_what_has_ended_stays_as_it_is() -> None:
    for event in {each.event for each in ARROWS}:
        with pytest.raises(ArrowError):
            run_after("cancelled", event)
        with pytest.raises(ArrowError):
            step_after("completed", event)


def test_a_step_that_waits_is_queued_again_when_a_person_answered() -> None:
    assert step_after("running", "ask") == "waiting"
    assert step_after("waiting", "answer") == "queued"


def test_a_run_ends_as_the_worst_of_its_steps() -> None:
    states: list[StepState] = ["completed", "blocked", "not_configured", "failed", "cancelled"]
    assert [outcome(states[:count]) for count in range(1, 6)] == states
    assert outcome(["completed"], cancelled=True) == "cancelled"
    assert outcome(["failed", "skipped"]) == "failed"
    assert outcome([]) == "completed"


def test_each_end_has_its_arrow() -> None:
    for state in PRECEDENCE:
        assert run_after("running", FINISHING[state]) == state


def test_the_diagram_shows_each_arrow_and_each_end() -> None:
    drawn = diagram("run", str.upper)
    assert drawn.startswith("stateDiagram-v2\n")
    assert "    [*] --> queued: ENQUEUE\n" in drawn
    assert drawn.count("--> [*]\n") == 5
    assert "waiting" not in drawn


@pytest.mark.parametrize("language", ["fr", "en"])
def test_states_and_events_have_names(language: str) -> None:
    for each in ARROWS:
        assert say(state_title(each.after), language) and say(event_title(each.event), language)  # type: ignore[arg-type]
