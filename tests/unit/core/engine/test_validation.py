"""Everything that is wrong with a graph, each at its place."""

from dataclasses import replace

import pytest

from palabre.core.engine.artifacts import Kind
from palabre.core.engine.model import Graph, Node, NodeId
from palabre.core.engine.node_types import CPU, Input, NodeType, Output, Param
from palabre.core.engine.step import Done, StepCall, StepContext
from palabre.core.engine.validation import Fault, can_run, faults_of, kind_of
from palabre.testing.engine_graphs import a_graph, a_node
from palabre.texts import say


async def _run(call: StepCall, context: StepContext) -> Done:
    return Done(())


DATASET = (Output("dataset", Kind.DATASET),)
TYPES = {
    each.name: each
    for each in (
        NodeType("file", "source", _run, outputs=DATASET, params=(Param("path", "text", required=True),)),
        NodeType("pairs", "source", _run, outputs=(Output("pairs", Kind.PAIRS),)),
        NodeType(
            "clean", "processing", _run, (Input("dataset", Kind.DATASET),),
            (Output("dataset", Kind.DATASET, like="dataset"),), runtimes=CPU,
        ),
        NodeType("dpo", "training", _run, (Input("pairs", Kind.PAIRS),), (Output("model", Kind.MODEL),)),
        NodeType("compare", "evaluation", _run, (Input("models", Kind.MODEL, many=True),)),
    )
}  # fmt: skip
FILE = a_node("f", "file", path="a.jsonl")


def codes(graph: Graph) -> list[str]:
    return [each.code for each in faults_of(graph, TYPES)]


def test_a_graph_that_makes_sense_has_no_faults() -> None:
    graph = a_graph(
        *(a_node("p", "pairs"), a_node("c", "clean"), a_node("t", "dpo"), a_node("u", "dpo")),
        a_node("v", "compare"),
        edges=(
            *("p.pairs > c.dataset", "c.dataset > t.pairs", "p.pairs > u.pairs"),
            *("t.model > v.models", "u.model > v.models"),
        ),
    )
    assert faults_of(graph, TYPES) == ()


def test_what_flows_through_keeps_its_kind() -> None:
    nodes = (FILE, a_node("c", "clean"), a_node("d", "clean"), a_node("t", "dpo"))
    edges = ("f.dataset > c.dataset", "c.dataset > d.dataset", "d.dataset > t.pairs")
    graph = a_graph(*nodes, edges=edges)
    (fault,) = faults_of(graph, TYPES)
    assert (fault.code, fault.node, fault.edge) == ("port_kind", "t", 2)
    assert fault.data == {"given": "dataset", "wanted": "pairs", "port": "pairs"}
    assert kind_of(graph, graph.edges[1], TYPES) is Kind.DATASET


@pytest.mark.parametrize(
    ("node", "code"),
    [
        (a_node("n", "odd"), "unknown_type"),
        (a_node("n", "pairs", "moon"), "unknown_runtime"),
        (a_node("n", "pairs", "cluster"), "runtime"),
        (a_node("n", "file"), "param_missing"),
    ],
)
def test_faults_of_nodes_are_at_their_node(node: Node, code: str) -> None:
    (fault,) = faults_of(a_graph(FILE, node), TYPES)
    assert (fault.code, fault.node, fault.severity) == (code, "n", "fault")


@pytest.mark.parametrize(
    ("edge", "code", "node"),
    [
        ("f.dataset > x.dataset", "absent_node", "x"),
        ("x.dataset > c.dataset", "absent_node", "x"),
        ("f.odd > c.dataset", "absent_output", "f"),
        ("f.dataset > c.odd", "absent_input", "c"),
        ("f.dataset > c.dataset", "crowded_input", "c"),
    ],
)
def test_faults_of_edges_are_at_their_edge(edge: str, code: str, node: str) -> None:
    graph = a_graph(FILE, a_node("c", "clean"), edges=("f.dataset > c.dataset", edge))
    found = [(each.code, each.node, each.edge) for each in faults_of(graph, TYPES)]
    assert (code, node, 1) in found
    assert all(edge == 1 for _, _, edge in found)


def test_each_node_of_a_cycle_names_all_of_it_and_no_other_node_does() -> None:
    nodes = [a_node(each, "clean") for each in "abcd"]
    edges = ("a.dataset > b.dataset", "b.dataset > a.dataset", "c.dataset > d.dataset")
    found = [
        each for each in faults_of(a_graph(*nodes, edges=edges), TYPES) if each.code == "cycle"
    ]
    assert [(each.node, each.data["nodes"]) for each in found] == [("a", "a, b"), ("b", "a, b")]


def test_a_node_that_leads_to_itself_is_a_cycle() -> None:
    assert "cycle" in codes(a_graph(a_node("a", "clean"), edges=("a.dataset > a.dataset",)))


def test_ids_are_given_once() -> None:
    assert codes(a_graph(FILE, FILE)) == ["duplicate_node"]


def test_an_empty_graph_and_an_open_input_are_remarks() -> None:
    for graph in (
        a_graph(),
        a_graph(a_node("c", "clean")),
        a_graph(replace(FILE, params={"path": "a", "odd": 1})),
    ):
        faults = faults_of(graph, TYPES)
        assert [each.severity for each in faults] == ["remark"]
        assert can_run(faults)
    assert not can_run(faults_of(a_graph(a_node("n", "odd")), TYPES))


def test_limits_of_the_whole_are_named() -> None:
    graph = replace(
        a_graph(), name="x" * 121, description="x" * 2001, tags=tuple("abcdefghijklm"),
        nodes=tuple(replace(FILE, id=NodeId(str(number))) for number in range(501)),
    )  # fmt: skip
    assert codes(graph) == ["name_long", "description_long", "many_tags", "many_nodes"]
    assert codes(replace(a_graph(FILE), name=" ")) == ["name_empty"]


def test_each_fault_can_be_told() -> None:
    data = {"type": "t", "runtime": "r", "allowed": "a", "port": "p", "given": "g", "wanted": "w"}
    data |= {"nodes": "n", "limit": "3"}
    told = (
        "unknown_type unknown_runtime runtime duplicate_node absent_node absent_output absent_input"
    )
    told += " port_kind crowded_input unconnected_input cycle"
    for code in told.split():
        text = Fault(code, "n1", data=data).text
        assert "n1" in say(text, "fr") and "n1" in say(text, "en")
