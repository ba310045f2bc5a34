"""What of a run comes next, and what it is given. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from palabre.core.engine.artifacts import Artifact, digest_of
from palabre.core.engine.model import Graph, Node, NodeId, Params, Run, RunId, Step
from palabre.core.engine.node_types import NodeType
from palabre.core.engine.runs import blocked, lacking, skipped
from palabre.core.engine.states import is_final
from palabre.kernel.text import Text, text

Inputs = Mapping[str, Sequence[Artifact]]
Lacks = Callable[[Node], Text | None]
"""Why a node can never be performed here; None if it can."""


def ordered(graph: Graph) -> tuple[Node, ...]:
    """Return the nodes so that each comes after those that it needs.

    Of those that could come next, the first of the graph does, so the order is the same each
    time. Nodes of a cycle, and those behind them, are left out.
    """
    needs = {
        node.id: {e.source for e in graph.edges if e.target == node.id} for node in graph.nodes
    }
    left, turn = list(graph.nodes), dict[NodeId, Node]()
    while ready := next((node for node in left if needs[node.id] <= turn.keys()), None):
        turn[ready.id] = ready
        left.remove(ready)
    return tuple(turn.values())


def new_run(run_id: RunId, graph: Graph, actor: str, now: datetime, parameters: Params) -> Run:
    """Return a run of *graph*, queued, with a queued step a node; see `Run` for *parameters*."""
    steps = tuple(
        Step(node.id, node.type, node.title, order, node.runtime)
        for order, node in enumerate(ordered(graph))
    )
    return Run(
        run_id,
        graph,
        actor,
        now,
        steps,
        runtime=graph.runtime,
        parameters=parameters,
        queued_at=now,
    )


def params_of(run: Run, node_id: NodeId) -> Params:
    """Return what was entered at a node, with what the run says instead of it."""
    node = run.graph.node(node_id)
    return _overlaid(node, run.parameters) if node else {}


def _overlaid(node: Node, parameters: Params) -> Params:
    start = f"{node.id}."
    own = {
        name.removeprefix(start): value
        for name, value in parameters.items()
        if name.startswith(start)
    }
    return {**node.params, **own}


def applied(graph: Graph, parameters: Params) -> Graph:
    """Return *graph* with the values of a run in the place of its own, to be validated."""
    nodes = (replace(each, params=_overlaid(each, parameters)) for each in graph.nodes)
    return replace(graph, nodes=tuple(nodes))


def inputs_of(run: Run, node_id: NodeId) -> Inputs:
    """Return what the finished steps of *run* give to a node, by input, in the order of edges."""
    outputs = {(step.id, each.output): each for step in run.steps for each in step.outputs}
    found: dict[str, list[Artifact]] = {}
    for edge in run.graph.edges:
        artifact = outputs.get((edge.source, edge.output))
        if edge.target == node_id and artifact is not None:
            found.setdefault(edge.input, []).append(artifact)
    return found


def cache_key(node_type: NodeType, params: Params, inputs: Inputs) -> str:
    """Return one name for everything that the outputs depend on; empty if it is not cacheable.

    Args:
        node_type: Its name and version count.
        params: Checked, see `StepCall`.
        inputs: Their contents count, not where they come from.
    """
    if not node_type.cacheable:
        return ""
    contents = {name: [each.digest for each in given] for name, given in inputs.items()}
    return digest_of([node_type.name, node_type.version, params, contents])


def settle(run: Run, types: Mapping[str, NodeType], lacks: Lacks, now: datetime) -> Run:
    """End the steps of *run* that will never begin, with the reason.

    After a failure nothing begins any more. A step whose turn has come is blocked when a required
    input is missing, and not configured when *lacks* says why; what needs it is blocked then.
    """
    if any(step.state == "failed" for step in run.steps):
        return skipped(run, now)
    # Steps are in order, so what ends here is known to those behind it.
    for step in run.steps:
        node = run.graph.node(step.id)
        if step.state != "queued" or node is None or not _turn_has_come(run, step.id):
            continue
        node_type = types.get(step.type)
        if node_type is None:
            run = lacking(run, step.id, text("step.unknown_type", type=step.type), now)
        elif missing := _missing(run, step, node_type):
            run = blocked(run, step.id, missing, now)
        elif why := lacks(node):
            run = lacking(run, step.id, why, now)
    return run


def _turn_has_come(run: Run, node_id: NodeId) -> bool:
    needed = {edge.source for edge in run.graph.edges if edge.target == node_id}
    return all(is_final("step", step.state) for step in run.steps if step.id in needed)


def _missing(run: Run, step: Step, node_type: NodeType) -> Text | None:
    given = inputs_of(run, step.id)
    names = [each.name for each in node_type.inputs if each.required and each.name not in given]
    return text("step.missing_input", ports=", ".join(names)) if names else None


def ready(run: Run) -> tuple[Step, ...]:
    """Return the queued steps whose turn has come, in order; those of a settled run can begin."""
    if run.state != "running":
        return ()
    return tuple(
        each for each in run.steps if each.state == "queued" and _turn_has_come(run, each.id)
    )


def is_over(run: Run) -> bool:
    """Whether each step of *run* has ended."""
    return all(is_final("step", each.state) for each in run.steps)
