"""Graphs as JSON."""

import json
from dataclasses import replace

import pytest

from palabre.core.engine.errors import GraphUnreadableError
from palabre.core.engine.graph_json import (
    edges_from_json,
    graph_from_json,
    graph_to_json,
    nodes_from_json,
)
from palabre.core.tools.model import Json
from palabre.testing.engine_graphs import a_graph, a_node

V1 = """{"id": "g1", "name": "Essai", "description": "", "runtime": "local_cpu", "tags": ["a"],
 "version": 3, "status": "draft",
 "nodes": [{"id": "n1", "type": "dataset_file", "title": "Source", "params": {"path": "a.jsonl"},
   "runtime": "local_cpu"},
  {"id": "n2", "type": "clean_text", "title": "Nettoyer", "params": {}, "runtime": "local_gpu"}],
 "edges": [{"from": {"node": "n1", "output": "dataset"}, "to": {"node": "n2", "input": "dataset"}}],
 "createdAt": "2026-03-20T12:00:00.000Z", "updatedAt": "2026-03-20T12:00:00.000Z"}"""


def test_a_file_of_v1_comes_back_as_it_was() -> None:
    given = json.loads(V1)
    graph = graph_from_json(given)
    assert json.loads(json.dumps(graph_to_json(graph))) == given
    assert graph.nodes[1].runtime == "local_gpu"


def test_a_place_on_the_page_is_kept_where_it_is_known() -> None:
    node = replace(a_node("n1", "x"), position=(10.0, 20.5))
    graph = a_graph(node, a_node("n2", "x"))
    written = graph_to_json(graph)
    assert graph_from_json(written) == graph
    assert json.dumps(written).count('"position"') == 1


def test_what_nodes_do_not_say_comes_from_their_type_and_graph() -> None:
    (node,) = nodes_from_json([{"id": "n1", "type": "x"}], "cluster")
    assert (node.title, node.runtime, node.params, node.position) == ("x", "cluster", {}, None)


def test_nothing_is_no_nodes_and_no_edges() -> None:
    assert nodes_from_json(None) == edges_from_json(None) == ()


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"nodes": "x"}, "nodes"),
        ({"nodes": [3]}, "nodes[0]"),
        ({"nodes": [{"type": "x"}]}, "nodes[0].id"),
        ({"nodes": [{"id": "n", "params": []}, {"id": "n", "params": 3}]}, "nodes[1].params"),
        ({"nodes": [{"id": "n", "position": {"x": True}}]}, "nodes[0].position"),
        ({"edges": [{"from": {"node": "a", "output": "b"}}]}, "edges[0].to"),
        ({"edges": [{"from": {"node": "a"}, "to": {}}]}, "edges[0].from.output"),
        ({"tags": [3]}, "tags"),
        ({"version": 0}, "graph.version"),
        ({"version": True}, "graph.version"),
        ({"name": 3}, "graph.name"),
        ({"createdAt": "yesterday"}, "graph.createdAt"),
        ({"createdAt": "2026-03-20T12:00:00"}, "graph.createdAt"),
    ],
)
def test_what_is_no_graph_is_named_by_its_place(change: dict[str, Json], place: str) -> None:
    with pytest.raises(GraphUnreadableError) as caught:
        graph_from_json({**json.loads(V1), **change})
    assert caught.value.data["place"] == place


def test_what_is_no_object_is_no_graph() -> None:
    with pytest.raises(GraphUnreadableError):
        graph_from_json([])
