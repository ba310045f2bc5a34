"""Everything that is wrong with a graph, each at its node, edge or parameter. Pure.

A graph with faults can be saved, since drawing takes time, and cannot run. Remarks stop nothing:
a graph without nodes ends at once (clients of seed 000 §16 can make no others), a required input
to which nothing leads blocks its step (facts of seed 000, 3.7 c).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from palabre.core.engine.artifacts import Kind, fits
from palabre.core.engine.model import (
    MAX_DESCRIPTION_CHARS,
    MAX_EDGES,
    MAX_NAME_CHARS,
    MAX_NODES,
    MAX_TAGS,
    RUNTIMES,
    Edge,
    Graph,
    Node,
    NodeId,
)
from palabre.core.engine.node_types import NodeType, Output
from palabre.core.engine.params import checked
from palabre.kernel.text import Text

Severity = Literal["fault", "remark"]
NodeTypes = Mapping[str, NodeType]

_LIKE_DEPTH = MAX_NODES
"""Outputs that have the kind of what comes in, one after the other."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        code: Key of its text below `graph_fault.`.
        node: Id of the node that it is about; empty if it is about none.
        edge: Place of the edge in `Graph.edges`; None if it is about none.
        param: Of *node*; empty if it is about none.
        data: For the placeholders of its text.
    """

    code: str
    node: str = ""
    edge: int | None = None
    param: str = ""
    data: Mapping[str, str | int | float] = field(default_factory=dict)
    severity: Severity = "fault"

    @property
    def text(self) -> Text:
        """What to tell people."""
        data = {"node": self.node, "param": self.param, **self.data}
        return Text(f"graph_fault.{self.code}", data)


def faults_of(graph: Graph, types: NodeTypes) -> tuple[Fault, ...]:
    """Return everything that is wrong with *graph*: of the whole, of nodes, of edges, cycles."""
    return (
        *_of_whole(graph),
        *(fault for node in graph.nodes for fault in _of_node(node, types)),
        *_twice(graph),
        *(
            fault
            for place, edge in enumerate(graph.edges)
            for fault in _of_edge(graph, place, edge, types)
        ),
        *_crowded(graph, types),
        *_unconnected(graph, types),
        *_cycles(graph),
    )


def can_run(faults: Sequence[Fault]) -> bool:
    """Whether none of *faults* is more than a remark."""
    return all(each.severity == "remark" for each in faults)


def _of_whole(graph: Graph) -> Iterator[Fault]:
    limits = (
        ("name_long", len(graph.name), MAX_NAME_CHARS),
        ("description_long", len(graph.description), MAX_DESCRIPTION_CHARS),
        ("many_tags", len(graph.tags), MAX_TAGS),
        ("many_nodes", len(graph.nodes), MAX_NODES),
        ("many_edges", len(graph.edges), MAX_EDGES),
    )
    yield from (Fault(code, data={"limit": most}) for code, size, most in limits if size > most)
    if not graph.name.strip():
        yield Fault("name_empty")
    if not graph.nodes:
        yield Fault("no_nodes", severity="remark")


def _of_node(node: Node, types: NodeTypes) -> Iterator[Fault]:
    node_type = types.get(node.type)
    if node_type is None:
        yield Fault("unknown_type", node.id, data={"type": node.type})
        return
    if node.runtime not in RUNTIMES:
        yield Fault("unknown_runtime", node.id, data={"runtime": node.runtime})
    elif node.runtime not in node_type.runtimes:
        allowed = ", ".join(node_type.runtimes)
        yield Fault("runtime", node.id, data={"runtime": node.runtime, "allowed": allowed})
    for fault in checked(node_type, node.params)[1]:
        severity: Severity = "remark" if fault.code == "param_unknown" else "fault"
        yield Fault(fault.code, node.id, None, fault.param, fault.data, severity)


def _twice(graph: Graph) -> Iterator[Fault]:
    counts = Counter(node.id for node in graph.nodes)
    yield from (Fault("duplicate_node", each) for each, count in counts.items() if count > 1)


def _of_edge(graph: Graph, place: int, edge: Edge, types: NodeTypes) -> Iterator[Fault]:
    source, target = graph.node(edge.source), graph.node(edge.target)
    for node_id, node in ((edge.source, source), (edge.target, target)):
        if node is None:
            yield Fault("absent_node", node_id, place)
    if source is None or target is None:
        return
    from_type, to_type = types.get(source.type), types.get(target.type)
    if from_type and from_type.output(edge.output) is None:
        yield Fault("absent_output", edge.source, place, data={"port": edge.output})
    if to_type and to_type.input(edge.input) is None:
        yield Fault("absent_input", edge.target, place, data={"port": edge.input})
    yield from _misfit(graph, place, edge, types)


def _misfit(graph: Graph, place: int, edge: Edge, types: NodeTypes) -> Iterator[Fault]:
    target = graph.node(edge.target)
    to_type = types.get(target.type) if target else None
    port = to_type.input(edge.input) if to_type else None
    given = kind_of(graph, edge, types)
    if port and given and not fits(given, port.kind):
        data = {"given": str(given), "wanted": str(port.kind), "port": port.name}
        yield Fault("port_kind", edge.target, place, data=data)


def kind_of(graph: Graph, edge: Edge, types: NodeTypes) -> Kind | None:
    """Return what flows along *edge*; None if that is not known, as along cycles."""
    for _ in range(_LIKE_DEPTH):
        port = _source(graph, edge, types)
        if port is None:
            return None
        coming = [
            each for each in graph.edges if (each.target, each.input) == (edge.source, port.like)
        ]
        if not coming:
            return port.kind
        edge = coming[0]
    return None


def _source(graph: Graph, edge: Edge, types: NodeTypes) -> Output | None:
    node = graph.node(edge.source)
    node_type = types.get(node.type) if node else None
    return node_type.output(edge.output) if node_type else None


def _crowded(graph: Graph, types: NodeTypes) -> Iterator[Fault]:
    """Yield the second and later edges into an input that takes one."""
    seen: set[tuple[str, str]] = set()
    for place, edge in enumerate(graph.edges):
        target = graph.node(edge.target)
        node_type = types.get(target.type) if target else None
        port = node_type.input(edge.input) if node_type else None
        end = (edge.target, edge.input)
        if port and not port.many and end in seen:
            yield Fault("crowded_input", edge.target, place, data={"port": edge.input})
        seen.add(end)


def _unconnected(graph: Graph, types: NodeTypes) -> Iterator[Fault]:
    connected = {(edge.target, edge.input) for edge in graph.edges}
    for node in graph.nodes:
        node_type = types.get(node.type)
        for port in node_type.inputs if node_type else ():
            if port.required and (node.id, port.name) not in connected:
                data = {"port": port.name}
                yield Fault("unconnected_input", node.id, data=data, severity="remark")


def _cycles(graph: Graph) -> Iterator[Fault]:
    """Yield a fault at each node that leads back to itself; all of its cycle are named."""
    onward: dict[str, list[str]] = defaultdict(list)
    for edge in graph.edges:
        onward[edge.source].append(edge.target)
    reached = {node.id: _reached(node.id, onward) for node in graph.nodes}
    for node in graph.nodes:
        if node.id in reached[node.id]:
            cycle = [each.id for each in graph.nodes if _meet(node.id, each.id, reached)]
            yield Fault("cycle", node.id, data={"nodes": ", ".join(dict.fromkeys(cycle))})


def _meet(one: NodeId, other: NodeId, reached: Mapping[NodeId, set[str]]) -> bool:
    return other in reached[one] and one in reached[other]


def _reached(start: str, onward: Mapping[str, Sequence[str]]) -> set[str]:
    found: set[str] = set()
    left = list(onward.get(start, ()))
    while left:
        here = left.pop()
        if here not in found:
            found.add(here)
            left += onward.get(here, ())
    return found
