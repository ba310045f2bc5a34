"""Runs that really happen, in memory."""

import asyncio
import logging
from collections.abc import Mapping

import pytest

from palabre.core.engine.artifacts import Kind
from palabre.core.engine.errors import NoQuestionError, RunNotFoundError, StepError
from palabre.core.engine.model import Answer, Graph, NodeId, Params, Question, Run, RunId
from palabre.core.engine.node_types import Input, NodeType, Output, Param
from palabre.core.engine.performing import Performer
from palabre.core.engine.runs import repeated
from palabre.core.engine.step import Done, StepCall, StepContext, StepResult, Waiting
from palabre.testing.clock import FrozenClock
from palabre.testing.engine import InProcessRunner
from palabre.testing.engine_graphs import NOON, a_graph, a_node, a_run
from palabre.testing.ids import CountingIds

ASLEEP = asyncio.Event()
IN, OUT = (Input("dataset", Kind.DATASET),), (Output("dataset", Kind.DATASET),)


async def _source(call: StepCall, context: StepContext) -> StepResult:
    async with context.files.writing("dataset") as writer:
        await writer.write([{"text": call.words("say")}])
    return Done((await context.files.artifact("dataset", Kind.DATASET),))


async def _copy(call: StepCall, context: StepContext) -> StepResult:
    async with context.files.writing("dataset") as writer:
        async for piece in context.files.records(call.given("dataset")):
            await writer.write(piece)
    return Done((await context.files.artifact("dataset", Kind.DATASET),), {"attempt": call.attempt})


async def _fail(call: StepCall, context: StepContext) -> StepResult:
    raise StepError(detail="no luck")


async def _break(call: StepCall, context: StepContext) -> StepResult:
    return Done((call.given("nothing"),))


async def _sleep(call: StepCall, context: StepContext) -> StepResult:
    ASLEEP.set()
    await asyncio.sleep(60)
    return Done(())


async def _ask(call: StepCall, context: StepContext) -> StepResult:
    if call.answer is None:
        return Waiting(Question("Bon ?", ("yes", "no"), tuple(call.inputs["dataset"])))
    return Done(tuple(call.inputs["dataset"]), {"choice": call.answer.choice})


TYPES: Mapping[str, NodeType] = {
    each.name: each
    for each in (
        NodeType("source", "source", _source, outputs=OUT, params=(Param("say", "text", "oui"),)),
        NodeType("copy", "processing", _copy, IN, OUT, cacheable=True),
        NodeType("fail", "processing", _fail, IN, OUT),
        NodeType("break", "processing", _break, IN, OUT),
        NodeType("sleep", "processing", _sleep, IN, OUT, timeout_s=0.01),
        NodeType("nap", "source", _sleep, outputs=OUT),
        NodeType("ask", "evaluation", _ask, IN, OUT),
    )
}


def chain(*types: str) -> Graph:
    nodes = [a_node(f"n{place}", each) for place, each in enumerate(types)]
    edges = [f"n{place}.dataset > n{place + 1}.dataset" for place in range(len(types) - 1)]
    return a_graph(*nodes, edges=tuple(edges))


class House:
    def __init__(self) -> None:
        self.clock = FrozenClock(NOON)
        self.runner = InProcessRunner(TYPES, clock=self.clock, ids=CountingIds())

    async def run(
        self, graph: Graph, run_id: str = "run_1", parameters: Params | None = None
    ) -> Run:
        await self.queue(a_run(graph, run_id, parameters))
        await self.runner.work()
        return await self.found(run_id)

    async def queue(self, run: Run) -> None:
        await self.runner.runs.add(run)
        await self.runner.enqueue(run.id)

    async def found(self, run_id: str = "run_1") -> Run:
        run = await self.runner.runs.find(RunId(run_id))
        assert run is not None
        return run

    def performer(self) -> Performer:
        runner = self.runner
        return Performer(
            TYPES, runner.runs, runner.artifacts, runner.bench, clock=self.clock, ids=CountingIds()
        )


def states(run: Run) -> list[str]:
    return [run.state, *(each.state for each in run.steps)]


async def test_a_run_performs_its_steps_and_keeps_what_they_made() -> None:
    house = House()
    run = await house.run(chain("source", "copy"))
    assert states(run) == ["completed"] * 3
    artifacts = await house.runner.artifacts.of_run(run.id)
    assert [each.step_id for each in artifacts] == ["n0", "n1"]
    content = house.runner.artifacts.content(artifacts[1], "dataset.jsonl")
    assert [each async for each in content] == [b'{"text": "oui"}\n']
    assert house.runner.artifacts.summarised == [run]


async def test_an_empty_run_is_completed() -> None:
    assert states(await House().run(a_graph())) == ["completed"]


async def test_an_equal_step_takes_its_outputs_over_as_long_as_they_are_there() -> None:
    house = House()
    await house.run(chain("source", "copy"))
    again = await house.run(chain("source", "copy"), "run_2")
    assert [each.reused_from for each in again.steps] == ["", "run_1"]
    other = await house.run(chain("source", "copy"), "run_3", {"n0.say": "non"})
    assert [each.reused_from for each in other.steps] == ["", ""]
    await house.runner.artifacts.forget(RunId("run_1"))
    gone = await house.run(chain("source", "copy"), "run_4")
    assert [each.reused_from for each in gone.steps] == ["", ""]


async def test_a_failure_stops_the_run_with_its_reason() -> None:
    run = await House().run(chain("source", "fail", "copy"))
    assert states(run) == ["failed", "completed", "failed", "skipped"]
    error = run.steps[1].error
    assert error is not None and error.data == {"detail": "no luck"}


async def test_what_nobody_foresaw_is_logged_under_a_reference(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.ERROR):
        run = await House().run(chain("source", "break"))
    error = run.steps[1].error
    assert error is not None and error.data["reference"] == "error_0_00000001"
    assert [each.message for each in caplog.records] == ["step failed"]


async def test_a_step_that_takes_too_long_fails() -> None:
    run = await House().run(chain("source", "sleep"))
    error = run.steps[1].error
    assert error is not None and error.code == "step.timeout"


async def test_a_runtime_for_which_nobody_works_is_not_configured() -> None:
    graph = a_graph(
        a_node("a", "source", "cluster"), a_node("b", "copy"), edges=("a.dataset > b.dataset",)
    )
    assert states(await House().run(graph)) == ["not_configured", "not_configured", "blocked"]


async def test_a_step_waits_for_a_person_and_goes_on_with_the_answer() -> None:
    house = House()
    run = await house.run(chain("source", "ask", "copy"))
    assert states(run) == ["running", "completed", "waiting", "queued"]
    with pytest.raises(NoQuestionError):
        await house.runner.answer(run.id, NodeId("n2"), Answer("yes", "", "lea", NOON))
    await house.runner.answer(run.id, NodeId("n1"), Answer("yes", "", "lea", NOON))
    await house.runner.work()
    run = await house.found()
    assert states(run) == ["completed"] * 4
    assert run.steps[1].details == {"choice": "yes"}


async def test_a_held_run_begins_when_it_is_released() -> None:
    house = House()
    await house.queue(a_run(chain("source")))
    await house.runner.hold(RunId("run_1"))
    await house.runner.work()
    assert (await house.found()).state == "queued"
    await house.runner.release(RunId("run_1"))
    await house.runner.work()
    assert (await house.found()).state == "completed"


async def test_one_run_is_cancelled_while_it_works_and_no_other_is() -> None:
    house = House()
    ASLEEP.clear()
    for name in ("run_1", "run_2"):
        graph = chain("nap") if name == "run_1" else chain("source")
        await house.queue(a_run(graph, name))
    async with asyncio.TaskGroup() as group:
        group.create_task(house.runner.work())
        await ASLEEP.wait()
        await house.runner.cancel(RunId("run_1"))
    assert states(await house.found("run_1")) == ["cancelled", "cancelled"]
    assert states(await house.found("run_2")) == ["completed", "completed"]


async def test_a_queued_run_is_cancelled_at_once() -> None:
    house = House()
    await house.queue(a_run(chain("source")))
    await house.runner.cancel(RunId("run_1"))
    await house.runner.work()
    assert states(await house.found()) == ["cancelled", "cancelled"]
    assert house.runner.bench.contexts == []


async def test_a_run_whose_worker_was_lost_performs_no_finished_step_again() -> None:
    house = House()
    await house.queue(a_run(chain("source", "copy")))
    first, run_id = house.performer(), RunId("run_1")
    await first.begin(run_id)
    await first.perform(run_id, NodeId("n0"))
    second = house.performer()
    assert states(await second.recover(run_id)) == ["queued", "completed", "queued"]
    await house.runner.work()
    assert states(await house.found()) == ["completed"] * 3
    assert [call.node_id for call, _ in house.runner.bench.contexts] == ["n0", "n1"]
    assert (await second.recover(run_id)).recovery_count == 1


async def test_two_workers_perform_a_step_once() -> None:
    house = House()
    await house.queue(a_run(chain("source")))
    await house.performer().begin(RunId("run_1"))
    performers = [house.performer() for _ in range(3)]
    await asyncio.gather(*(each.perform(RunId("run_1"), NodeId("n0")) for each in performers))
    assert len(house.runner.bench.contexts) == 1


async def test_a_retry_does_the_rest_alone() -> None:
    house = House()
    run = await house.run(chain("source", "fail"))
    graph = a_graph(run.graph.nodes[0], a_node("n1", "copy"), edges=("n0.dataset > n1.dataset",))
    await house.queue(repeated(run, a_run(graph, "run_2")))
    await house.runner.work()
    assert states(await house.found("run_2")) == ["completed"] * 3
    assert [call.run_id for call, _ in house.runner.bench.contexts] == ["run_1", "run_1", "run_2"]


async def test_a_run_that_nobody_added_is_not_found() -> None:
    with pytest.raises(RunNotFoundError):
        await House().performer().perform(RunId("none"), NodeId("n0"))
