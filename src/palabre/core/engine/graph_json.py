"""Graphs as JSON: the file of V1 (facts of seed 000, 3.7 c), and what pages send. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from palabre.core.engine.errors import GraphUnreadableError
from palabre.core.engine.model import Edge, Graph, GraphId, Node, NodeId, Params
from palabre.core.tools.model import Json
from palabre.kernel.clock import iso_utc

JsonObject = Mapping[str, Json]


def graph_to_json(graph: Graph) -> dict[str, Json]:
    """Return *graph* as V1 wrote it; `position` of nodes is ours, and only where it is known."""
    return {
        "id": graph.id,
        "name": graph.name,
        "description": graph.description,
        "runtime": graph.runtime,
        "tags": list(graph.tags),
        "version": graph.version,
        "status": graph.status,
        "nodes": [node_to_json(each) for each in graph.nodes],
        "edges": [edge_to_json(each) for each in graph.edges],
        "createdAt": iso_utc(graph.created_at),
        "updatedAt": iso_utc(graph.updated_at),
    }


def node_to_json(node: Node) -> dict[str, Json]:
    """Return *node* as V1 wrote it."""
    written: dict[str, Json] = {
        "id": node.id,
        "type": node.type,
        "title": node.title,
        "params": dict(node.params),
        "runtime": node.runtime,
    }
    if node.position is not None:
        written["position"] = {"x": node.position[0], "y": node.position[1]}
    return written


def edge_to_json(edge: Edge) -> dict[str, Json]:
    """Return *edge* as V1 wrote it."""
    return {
        "from": {"node": edge.source, "output": edge.output},
        "to": {"node": edge.target, "input": edge.input},
    }


def graph_from_json(value: Json) -> Graph:
    """Read what `graph_to_json` wrote, or a file of V1.

    Raises:
        GraphUnreadableError: Something has not the type that it should have.
    """
    given = _object(value, "graph")
    runtime = _words(given, "runtime", "graph") or "local_cpu"
    return Graph(
        GraphId(_words(given, "id", "graph")),
        _words(given, "name", "graph"),
        _moment(given, "createdAt"),
        _moment(given, "updatedAt"),
        description=_words(given, "description", "graph"),
        runtime=runtime,
        tags=tuple(_text(each, "tags") for each in _list(given, "tags")),
        version=_version(given),
        status=_words(given, "status", "graph") or "draft",
        nodes=nodes_from_json(given.get("nodes"), runtime),
        edges=edges_from_json(given.get("edges")),
    )


def nodes_from_json(value: Json, runtime: str = "local_cpu") -> tuple[Node, ...]:
    """Read a list of nodes, None being an empty one; *runtime* is of those that name none.

    Raises:
        GraphUnreadableError: As in `graph_from_json`.
    """
    return tuple(_node(each, place, runtime) for each, place in _each(value, "nodes"))


def edges_from_json(value: Json) -> tuple[Edge, ...]:
    """Read a list of edges, None being an empty one.

    Raises:
        GraphUnreadableError: As in `graph_from_json`.
    """
    return tuple(_edge(each, place) for each, place in _each(value, "edges"))


def _node(given: JsonObject, place: str, runtime: str) -> Node:
    node_type = _words(given, "type", place)
    params: Params = _object(given.get("params") or {}, f"{place}.params")
    return Node(
        NodeId(_needed(given, "id", place)),
        node_type,
        _words(given, "title", place) or node_type,
        params,
        _words(given, "runtime", place) or runtime,
        _position(given.get("position"), f"{place}.position"),
    )


def _edge(given: JsonObject, place: str) -> Edge:
    source = _object(given.get("from"), f"{place}.from")
    target = _object(given.get("to"), f"{place}.to")
    return Edge(
        NodeId(_needed(source, "node", f"{place}.from")),
        _needed(source, "output", f"{place}.from"),
        NodeId(_needed(target, "node", f"{place}.to")),
        _needed(target, "input", f"{place}.to"),
    )


def _position(value: Json, place: str) -> tuple[float, float] | None:
    if value is None:
        return None
    found = _object(value, place)
    return _pixels(found.get("x"), place), _pixels(found.get("y"), place)


def _pixels(value: Json, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise GraphUnreadableError(place=place, wanted='{"x": 0, "y": 0}')
    return float(value)


def _each(value: Json, name: str) -> Iterator[tuple[JsonObject, str]]:
    for number, each in enumerate(_sequence(value, name)):
        place = f"{name}[{number}]"
        yield _object(each, place), place


def _object(value: Json, place: str) -> JsonObject:
    if not isinstance(value, Mapping):
        raise GraphUnreadableError(place=place, wanted="{}")
    return value


def _list(given: JsonObject, name: str) -> Sequence[Json]:
    return _sequence(given.get(name), name)


def _sequence(value: Json, place: str) -> Sequence[Json]:
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise GraphUnreadableError(place=place, wanted="[]")
    return value


def _words(given: JsonObject, name: str, place: str) -> str:
    value = given.get(name)
    return "" if value is None else _text(value, f"{place}.{name}")


def _needed(given: JsonObject, name: str, place: str) -> str:
    words = _words(given, name, place)
    if not words:
        raise GraphUnreadableError(place=f"{place}.{name}", wanted='"…"')
    return words


def _text(value: Json, place: str) -> str:
    if not isinstance(value, str):
        raise GraphUnreadableError(place=place, wanted='"…"')
    return value


def _version(given: JsonObject) -> int:
    value = given.get("version", 1)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise GraphUnreadableError(place="graph.version", wanted="1")
    return value


def _moment(given: JsonObject, name: str) -> datetime:
    written = _needed(given, name, "graph")
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise GraphUnreadableError(place=f"graph.{name}", wanted="2026-03-20T10:00:00.000Z")
    return moment
