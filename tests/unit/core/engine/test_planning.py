"""What of a run comes next."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from palabre.core.engine.artifacts import Artifact, ArtifactFile, Kind
from palabre.core.engine.model import Node, NodeId, Run
from palabre.core.engine.node_types import Input, NodeType, Output
from palabre.core.engine.planning import (
    applied,
    cache_key,
    inputs_of,
    is_over,
    ordered,
    params_of,
    ready,
    settle,
)
from palabre.core.engine.runs import begun, cancel_asked, ended, failed, started
from palabre.core.engine.step import Done, StepCall, StepContext
from palabre.kernel.text import Text, verbatim
from palabre.testing.engine_graphs import NOON, a_graph, a_node, a_run


async def _run(call: StepCall, context: StepContext) -> Done:
    return Done(())


OUT = (Output("dataset", Kind.DATASET),)
TYPES = {
    "source": NodeType("source", "source", _run, outputs=OUT),
    "clean": NodeType(
        "clean", "processing", _run, (Input("dataset", Kind.DATASET),), OUT, cacheable=True
    ),
    "free": NodeType(
        "free", "processing", _run, (Input("dataset", Kind.DATASET, required=False),), OUT
    ),
}
DIAMOND = a_graph(
    *(a_node("d", "clean"), a_node("b", "clean"), a_node("c", "clean"), a_node("a", "source")),
    edges=(
        "a.dataset > b.dataset",
        "a.dataset > c.dataset",
        "b.dataset > d.dataset",
        "c.dataset > d.dataset",
    ),
)
A = NodeId("a")


def made(run: Run, node: str, sha256: str = "aa") -> Artifact:
    file = ArtifactFile("dataset.jsonl", "jsonl", 1, sha256, records=1)
    return Artifact(run.id, node, "dataset", Kind.DATASET, (file,))


def done(run: Run, node: str) -> Run:
    run = started(run, NodeId(node), "", NOON)
    return ended(run, NodeId(node), Done((made(run, node),)), NOON)


def nothing_lacks(node: Node) -> Text | None:
    return None


def settled(run: Run) -> Run:
    return settle(run, TYPES, nothing_lacks, NOON)


def states(run: Run) -> dict[str, str]:
    return {each.id: each.state for each in run.steps}


def test_each_node_comes_after_what_it_needs_in_the_order_of_the_graph() -> None:
    assert [each.id for each in ordered(DIAMOND)] == ["a", "b", "c", "d"]


def test_nodes_of_a_cycle_and_behind_it_are_left_out() -> None:
    nodes = [a_node(each, "clean") for each in "abc"]
    edges = ("a.dataset > b.dataset", "b.dataset > a.dataset", "b.dataset > c.dataset")
    assert ordered(a_graph(*nodes, a_node("s", "source"), edges=edges))[0].id == "s"
    assert len(ordered(a_graph(*nodes, a_node("s", "source"), edges=edges))) == 1


@given(
    st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda p: p[0] < p[1])),
    st.permutations(range(8)),
)
def test_any_graph_without_cycles_is_put_in_order(
    pairs: set[tuple[int, int]], places: list[int]
) -> None:
    nodes = [a_node(f"n{each}", "clean") for each in places]
    graph = a_graph(*nodes, edges=tuple(f"n{a}.dataset > n{b}.dataset" for a, b in pairs))
    order = [each.id for each in ordered(graph)]
    assert len(order) == 8
    assert all(order.index(NodeId(f"n{a}")) < order.index(NodeId(f"n{b}")) for a, b in pairs)


def test_steps_that_need_nothing_of_each_other_are_ready_together() -> None:
    run = begun(a_run(DIAMOND), NOON)
    assert [each.id for each in ready(run)] == ["a"]
    run = done(run, "a")
    assert [each.id for each in ready(run)] == ["b", "c"]
    run = done(done(run, "b"), "c")
    assert [each.id for each in ready(run)] == ["d"]
    assert not is_over(run)
    assert is_over(done(run, "d"))


def test_nothing_is_ready_before_a_run_begins() -> None:
    assert ready(a_run(DIAMOND)) == ()


def test_inputs_come_from_finished_steps_in_the_order_of_edges() -> None:
    run = done(done(done(begun(a_run(DIAMOND), NOON), "a"), "c"), "b")
    assert [each.step_id for each in inputs_of(run, NodeId("d"))["dataset"]] == ["b", "c"]
    assert inputs_of(run, A) == {}


def test_a_step_without_its_input_is_blocked_and_so_is_what_needs_it() -> None:
    graph = a_graph(
        a_node("b", "clean"),
        a_node("c", "clean"),
        a_node("s", "source"),
        edges=("b.dataset > c.dataset",),
    )
    run = settled(begun(a_run(graph), NOON))
    assert states(run) == {"b": "blocked", "c": "blocked", "s": "queued"}
    assert [each.id for each in ready(run)] == ["s"]


def test_a_step_goes_on_without_an_input_that_it_can_do_without() -> None:
    graph = a_graph(a_node("b", "clean"), a_node("c", "free"), edges=("b.dataset > c.dataset",))
    assert [each.id for each in ready(settled(begun(a_run(graph), NOON)))] == ["c"]


def test_what_is_not_set_up_is_said_and_blocks_what_needs_it() -> None:
    run = settle(
        begun(a_run(DIAMOND), NOON),
        TYPES,
        lambda node: verbatim("no GPU") if node.id == "a" else None,
        NOON,
    )
    assert states(run) == {"a": "not_configured", "b": "blocked", "c": "blocked", "d": "blocked"}
    assert run.step(A).error == verbatim("no GPU")
    assert is_over(run)


def test_a_type_that_nobody_knows_is_not_configured() -> None:
    run = settled(begun(a_run(a_graph(a_node("x", "odd"))), NOON))
    assert states(run) == {"x": "not_configured"}


def test_after_a_failure_nothing_begins_and_what_runs_goes_on() -> None:
    run = done(begun(a_run(DIAMOND), NOON), "a")
    run = started(started(run, NodeId("b"), "", NOON), NodeId("c"), "", NOON)
    run = settled(failed(run, NodeId("b"), verbatim("broken"), NOON))
    assert states(run) == {"a": "completed", "b": "failed", "c": "running", "d": "skipped"}
    assert not is_over(run)


def test_values_of_a_run_stand_in_for_those_of_its_nodes() -> None:
    graph = a_graph(a_node("a", "source", path="x", rows=1), a_node("a.b", "source"))
    run = a_run(graph, parameters={"a.rows": 2, "b.rows": 3, "a.b.rows": 4})
    assert params_of(run, A) == {"path": "x", "rows": 2, "b.rows": 4}
    assert applied(graph, run.parameters).nodes[0].params["rows"] == 2
    assert params_of(run, NodeId("none")) == {}


def test_a_cache_key_depends_on_all_that_outputs_depend_on_and_on_nothing_else() -> None:
    run = a_run(DIAMOND)
    clean, given = TYPES["clean"], {"dataset": [made(run, "a")]}
    key = cache_key(clean, {"trim": True}, given)
    assert key == cache_key(
        clean, {"trim": True}, {"dataset": [made(a_run(DIAMOND, "run_2"), "b")]}
    )
    others = [
        cache_key(replace(clean, version=2), {"trim": True}, given),
        cache_key(replace(clean, name="other"), {"trim": True}, given),
        cache_key(clean, {"trim": False}, given),
        cache_key(clean, {"trim": True}, {"dataset": [made(run, "a", "bb")]}),
        cache_key(clean, {"trim": True}, {"other": [made(run, "a")]}),
    ]
    assert len({key, *others}) == 6


def test_what_is_not_cacheable_has_no_key() -> None:
    assert cache_key(TYPES["source"], {}, {}) == ""


def test_a_run_that_was_asked_to_end_begins_no_step() -> None:
    run = cancel_asked(begun(a_run(DIAMOND), NOON), NOON)
    assert ready(run)
    assert run.cancel_requested_at == NOON
