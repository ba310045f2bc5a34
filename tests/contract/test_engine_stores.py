"""What every keeper of graphs, runs and registered models does."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from palabre.core.engine.artifacts import Artifact, Kind
from palabre.core.engine.errors import (
    ArrowError,
    GraphChangedError,
    ModelNotRegisteredError,
    RunNotFoundError,
)
from palabre.core.engine.model import GraphId, NodeId, Run, RunId
from palabre.core.engine.ports import GraphStore, ModelRegistryStore, RegisteredModel, RunStore
from palabre.core.engine.runs import begun, cancelled, ended, held, reused, started
from palabre.core.engine.step import Done
from palabre.testing.engine import MemoryGraphStore, MemoryModelRegistry, MemoryRunStore
from palabre.testing.engine_graphs import NOON, a_graph, a_node, a_run

A = NodeId("a")
GRAPH = a_graph(a_node("a", "x"))
OUT = Artifact("run_1", "a", "dataset", Kind.DATASET)


@pytest.fixture(params=[MemoryGraphStore])
def graphs(request: pytest.FixtureRequest) -> GraphStore:
    make: Callable[[], GraphStore] = request.param
    return make()


@pytest.fixture(params=[MemoryRunStore])
def runs(request: pytest.FixtureRequest) -> RunStore:
    make: Callable[[], RunStore] = request.param
    return make()


@pytest.fixture(params=[MemoryModelRegistry])
def registry(request: pytest.FixtureRequest) -> ModelRegistryStore:
    make: Callable[[], ModelRegistryStore] = request.param
    return make()


def completed(run: Run, key: str = "key") -> Run:
    return ended(started(begun(run, NOON), A, key, NOON), A, Done((OUT,)), NOON)


async def test_every_version_of_a_graph_is_kept(graphs: GraphStore) -> None:
    await graphs.save(GRAPH)
    await graphs.save(replace(GRAPH, version=2, name="Autre"))
    newest, first = await graphs.find(GRAPH.id), await graphs.find(GRAPH.id, 1)
    assert newest is not None and newest.name == "Autre"
    assert first == GRAPH
    assert await graphs.all() == [newest]
    assert await graphs.find(GraphId("none")) is None
    assert await graphs.find(GRAPH.id, 3) is None


async def test_who_saves_too_late_is_told(graphs: GraphStore) -> None:
    await graphs.save(GRAPH)
    with pytest.raises(GraphChangedError) as caught:
        await graphs.save(GRAPH)
    assert caught.value.data == {"graph": "graph_1", "version": 1}


async def test_a_run_comes_back_as_it_was(runs: RunStore) -> None:
    run = completed(a_run(GRAPH, parameters={"a.rows": 3}))
    await runs.add(run)
    assert await runs.find(run.id) == run
    assert await runs.find(RunId("none")) is None


async def test_a_change_that_is_refused_changes_nothing(runs: RunStore) -> None:
    await runs.add(a_run(GRAPH))
    run = await runs.change(RunId("run_1"), lambda each: begun(each, NOON))
    with pytest.raises(ArrowError):
        await runs.change(run.id, held)
    assert await runs.find(run.id) == run
    with pytest.raises(RunNotFoundError):
        await runs.change(RunId("none"), held)


async def test_of_many_who_begin_a_step_one_does(runs: RunStore) -> None:
    await runs.add(begun(a_run(GRAPH), NOON))

    async def begin() -> bool:
        try:
            await runs.change(RunId("run_1"), lambda run: started(run, A, "", NOON))
        except ArrowError:
            return False
        return True

    assert sum(await asyncio.gather(*(begin() for _ in range(8)))) == 1


async def test_the_newest_come_first_and_what_is_not_finished_last(runs: RunStore) -> None:
    other = replace(GRAPH, id=GraphId("graph_2"))
    for place, graph in enumerate((GRAPH, other, GRAPH), 1):
        await runs.add(a_run(graph, f"run_{place}"))
    await runs.change(RunId("run_2"), lambda run: cancelled(run, NOON))
    assert [each.id for each in await runs.latest(2)] == ["run_3", "run_2"]
    assert [each.id for each in await runs.latest(9, graph_id=GRAPH.id)] == ["run_3", "run_1"]
    assert [each.id for each in await runs.unfinished()] == ["run_1", "run_3"]


async def test_outputs_are_found_by_their_key_where_they_were_made(runs: RunStore) -> None:
    await runs.add(completed(a_run(GRAPH)))
    again = begun(a_run(GRAPH, "run_2"), NOON)
    await runs.add(reused(again, A, (OUT,), "key", RunId("run_1"), NOON))
    await runs.add(started(begun(a_run(GRAPH, "run_3"), NOON), A, "key", NOON))
    found = await runs.cached("key")
    assert found is not None
    assert (found[0], list(found[1])) == ("run_1", [OUT])
    assert await runs.cached("other") is None


async def test_a_log_grows(runs: RunStore) -> None:
    run = a_run(GRAPH)
    await runs.add(run)
    await runs.add_log(run.id, A, ["un"])
    await runs.add_log(run.id, A, ["deux", "trois"])
    assert [line async for piece in runs.log(run.id, A) for line in piece] == [
        "un",
        "deux",
        "trois",
    ]
    assert [line async for piece in runs.log(run.id, NodeId("b")) for line in piece] == []


def a_model(once: str, alias: str = "clown") -> RegisteredModel:
    return RegisteredModel("", alias, 0, "lora", "tiny", NOON, "run_1", once, metrics={"f1": 0.5})


async def test_versions_of_a_model_are_counted_by_alias(registry: ModelRegistryStore) -> None:
    names = [
        (await registry.register(a_model(once, alias))).name
        for once, alias in (("1", "clown"), ("2", "clown"), ("3", "candidate"))
    ]
    assert names == ["clown_v1", "clown_v2", "candidate_v1"]
    newest = await registry.find("clown")
    assert newest is not None and newest.name == "clown_v2"
    assert await registry.find("clown_v1") is not None
    assert await registry.find("none") is None
    assert [each.name for each in await registry.all()] == list(reversed(names))


async def test_a_step_that_registers_twice_registers_once(registry: ModelRegistryStore) -> None:
    first = await registry.register(a_model("run_1/n1"))
    assert await registry.register(a_model("run_1/n1")) == first
    assert len(await registry.all()) == 1


async def test_tags_are_put_in_place_of_others(registry: ModelRegistryStore) -> None:
    model = await registry.register(a_model("1"))
    await registry.tag(model.name, ["bon"])
    assert (await registry.tag(model.name, ["mieux"])).tags == ("mieux",)
    with pytest.raises(ModelNotRegisteredError):
        await registry.tag("none", [])
