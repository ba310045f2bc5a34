"""Graphs and runs for tests."""

from datetime import UTC, datetime

from palabre.core.engine.model import Edge, Graph, GraphId, Node, NodeId, Params, Run, RunId
from palabre.core.engine.planning import new_run

NOON = datetime(2026, 3, 20, 12, tzinfo=UTC)


def a_node(node_id: str, type_: str, runtime: str = "local_cpu", **params: str | float) -> Node:
    """Return a node with *params*, called like its id."""
    return Node(NodeId(node_id), type_, node_id, params, runtime)


def an_edge(ends: str) -> Edge:
    """Return the edge that is written `source.output > target.input`."""
    source, target = ends.split(" > ")
    from_node, output = source.split(".")
    to_node, input_ = target.split(".")
    return Edge(NodeId(from_node), output, NodeId(to_node), input_)


def a_graph(*nodes: Node, edges: tuple[str, ...] = (), version: int = 1) -> Graph:
    """Return a graph with *edges* as `an_edge` reads them."""
    made = tuple(map(an_edge, edges))
    return Graph(GraphId("graph_1"), "Essai", NOON, NOON, version=version, nodes=nodes, edges=made)


def a_run(graph: Graph, run_id: str = "run_1", parameters: Params | None = None) -> Run:
    """Return a queued run of *graph*."""
    return new_run(RunId(run_id), graph, "lea", NOON, parameters or {})
