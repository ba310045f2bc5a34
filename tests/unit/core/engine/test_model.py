"""Graphs and runs."""

import pytest

from palabre.core.engine.model import NodeId
from palabre.testing.engine_graphs import a_graph, a_node, a_run


def test_nodes_and_steps_are_found_by_their_ids() -> None:
    graph = a_graph(a_node("a", "x"), a_node("b", "y"))
    found = graph.node(NodeId("b"))
    assert found is not None and found.type == "y"
    assert graph.node(NodeId("c")) is None
    assert a_run(graph).step(NodeId("b")).type == "y"
    with pytest.raises(KeyError):
        a_run(graph).step(NodeId("c"))
