"""Graphs of nodes: whether ComfyUI would run one, in which order, and what it would draw."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from palabre.sim.comfyui.catalogue import Catalogue, Input
from palabre.sim.ledger import JsonObject

_KINDS = {"INT": int, "FLOAT": float, "STRING": str}
_LINK_PARTS = 2


class Node(msgspec.Struct, frozen=True):
    """One node; an input is a value, or a link `[node, slot]`."""

    class_type: str | None = None
    inputs: dict[str, object] = msgspec.field(default_factory=dict)

    def source(self, name: str) -> str | None:
        """Return the node that the input *name* comes from; None if it is no link."""
        link = self.inputs.get(name)
        return str(link[0]) if isinstance(link, list) and len(link) == _LINK_PARTS else None


Graph = Mapping[str, Node]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What can run: the output nodes; or the error that answers the request."""

    outputs: list[str]
    error: JsonObject | None = None
    node_errors: JsonObject = field(default_factory=dict)


def validate(graph: Graph, catalogue: Catalogue) -> Verdict:
    """Say whether *graph* can run, in ComfyUI's own words; one sound output is enough."""
    for node_id, node in graph.items():
        if node.class_type not in catalogue:
            return Verdict([], _unknown(node_id, node))
    outputs = [id_ for id_, node in graph.items() if catalogue[str(node.class_type)].is_output]
    if not outputs:
        return Verdict([], problem("prompt_no_outputs", "Prompt has no outputs", ""))
    check = _Check(graph, catalogue)
    sound = [node_id for node_id in outputs if check.output(node_id)]
    errors = check.node_errors([node_id for node_id in outputs if node_id not in sound])
    if sound:
        return Verdict(sound, None, errors)
    failed = "prompt_outputs_failed_validation"
    error = problem(failed, "Prompt outputs failed validation", check.details(outputs))
    return Verdict([], error, errors)


def problem(kind: str, message: str, details: str, **extra: object) -> JsonObject:
    """Return one mistake in ComfyUI's shape."""
    return {"type": kind, "message": message, "details": details, "extra_info": extra}


def _unknown(node_id: str, node: Node) -> JsonObject:
    name, title = node.class_type, node.class_type
    message = f"Node '{title}' not found. The custom node may not be installed."
    if name is None:
        message = f"Node 'ID #{node_id}' has no class_type. The workflow may be corrupted."
    where = {"node_id": node_id, "class_type": name, "node_title": title}
    return problem("missing_node_type", message, f"Node ID '#{node_id}'", **where)


class _Check:
    """Walks from outputs to their sources and keeps the problems of each node."""

    def __init__(self, graph: Graph, catalogue: Catalogue) -> None:
        self._graph = graph
        self._catalogue = catalogue
        self._problems: dict[str, list[JsonObject]] = {}
        self._sound: dict[str, bool] = {}

    def output(self, node_id: str) -> bool:
        """Say whether this output node can run."""
        try:
            return self._node(node_id, ())
        except LookupError as error:
            message = "Exception when validating node"
            self._raised(node_id, "exception_during_validation", message, error)
            return False

    def node_errors(self, unsound: list[str]) -> JsonObject:
        """Return the problems of each node that has any."""
        return {
            node_id: {
                "errors": problems,
                "dependent_outputs": unsound,
                "class_type": self._graph[node_id].class_type,
            }
            for node_id, problems in self._problems.items()
            if problems
        }

    def details(self, outputs: list[str]) -> str:
        """Return the problems of the outputs themselves, one a line."""
        own = (each for node_id in outputs for each in self._problems.get(node_id, []))
        return "\n".join(f"{each['message']}: {each['details']}" for each in own)

    def _node(self, node_id: str, above: tuple[str, ...]) -> bool:
        if node_id in above:
            return self._cycle([*above[above.index(node_id) :], node_id])
        if node_id in self._sound:
            return self._sound[node_id]
        node = self._graph[node_id]
        problems: list[JsonObject] = []
        sources_sound = True
        for name, wanted in self._catalogue[str(node.class_type)].required.items():
            found = self._input(node, name, wanted)
            problems += [] if found is None else [found]
            if found is None and (source := node.source(name)) is not None:
                sources_sound &= self._source(source, name, (*above, node_id))
        self._problems[node_id] = [*self._problems.get(node_id, []), *problems]
        self._sound[node_id] = sources_sound and not self._problems[node_id]
        return self._sound[node_id]

    def _source(self, node_id: str, name: str, above: tuple[str, ...]) -> bool:
        try:
            return self._node(node_id, above)
        except LookupError as error:
            message = "Exception when validating inner node"
            self._raised(node_id, "exception_during_inner_validation", message, error, name)
            return False

    def _raised(
        self, node_id: str, kind: str, message: str, error: LookupError, name: str | None = None
    ) -> None:
        extra = {"exception_type": type(error).__name__, "traceback": []}
        extra |= {} if name is None else {"input_name": name, "exception_message": str(error)}
        self._problems[node_id] = [problem(kind, message, str(error), **extra)]
        self._sound[node_id] = False

    def _cycle(self, path: list[str]) -> bool:
        told = " -> ".join(f"{node_id} ({self._graph[node_id].class_type})" for node_id in path)
        nodes = list(dict.fromkeys(path))
        for node_id in nodes:
            extra = {"node_id": node_id, "cycle_nodes": nodes}
            found = problem("dependency_cycle", "Dependency cycle detected", told, **extra)
            self._problems[node_id] = [found]
        return False

    def _input(self, node: Node, name: str, wanted: Input) -> JsonObject | None:
        """Return what is wrong with one input.

        Raises:
            LookupError: It is a link to nowhere; ComfyUI itself stumbles over those.
        """
        if name not in node.inputs:
            message = "Required input is missing"
            return problem("required_input_missing", message, name, input_name=name)
        value = node.inputs[name]
        extra = {"input_name": name, "input_config": wanted.as_json(), "received_value": value}
        if not isinstance(value, list):
            return check_value(name, value, wanted, extra)
        if len(value) != _LINK_PARTS:
            message = "Bad linked input, must be a length-2 list of [node_id, slot_index]"
            return problem("bad_linked_input", message, name, **extra)
        source = self._graph[str(value[0])]
        received = self._catalogue[str(source.class_type)].outputs[int(value[1])]
        if received == wanted.kind:
            return None
        details = f"{name}, received_type({received}) mismatch input_type({wanted.kind})"
        message = "Return type mismatch between linked nodes"
        return problem("return_type_mismatch", message, details, **extra)


def check_value(name: str, value: object, wanted: Input, extra: JsonObject) -> JsonObject | None:
    """Return what is wrong with a value that is no link; None if nothing is."""
    if wanted.choices is not None:
        if value in wanted.choices:
            return None
        details = f"{name}: {value!r} not in {list(wanted.choices)}"
        return problem("value_not_in_list", "Value not in list", details, **extra)
    try:
        number = _KINDS.get(wanted.kind, str)(value)
    except (TypeError, ValueError) as error:
        message = f"Failed to convert an input value to a {wanted.kind} value"
        details = f"{name}, {value}, {error}"
        return problem("invalid_input_type", message, details, **extra)
    return _out_of_limits(name, number, wanted.limits, extra)


def _out_of_limits(
    name: str, number: float, limits: JsonObject, extra: JsonObject
) -> JsonObject | None:
    least, most = limits.get("min"), limits.get("max")
    if isinstance(least, int | float) and number < least:
        message = f"Value {number} smaller than min of {least}"
        return problem("value_smaller_than_min", message, name, **extra)
    if isinstance(most, int | float) and number > most:
        message = f"Value {number} bigger than max of {most}"
        return problem("value_bigger_than_max", message, name, **extra)
    return None


def order(graph: Graph, outputs: list[str]) -> list[str]:
    """Return the nodes that *outputs* need, sources first."""
    seen: set[str] = set()

    def before(node_id: str) -> Iterator[str]:
        if node_id in seen or node_id not in graph:
            return
        seen.add(node_id)
        for name in graph[node_id].inputs:
            if (source := graph[node_id].source(name)) is not None:
                yield from before(source)
        yield node_id

    return [node_id for output in outputs for node_id in before(output)]


@dataclass(frozen=True, slots=True)
class Wish:
    """What an output node would show: *count* pictures of *text*, from *seed* on."""

    seed: int = 0
    text: str = ""
    width: int = 512
    height: int = 512
    count: int = 1
    steps: int = 1


def wish(graph: Graph, output: str) -> Wish:
    """Return what *output* shows, found in the nodes before it; negative words are left out."""
    known = list(_before(graph, output))

    def number(*names: str) -> int | None:
        values = (_whole(node.inputs.get(name)) for node in known for name in names)
        return next((each for each in values if each is not None), None)

    texts = (node.inputs.get("text") for node in known)
    return Wish(
        seed=number("seed", "noise_seed") or 0,
        text=next((each for each in texts if isinstance(each, str)), ""),
        width=number("width") or 512,
        height=number("height") or 512,
        count=number("batch_size") or 1,
        steps=number("steps") or 1,
    )


def _whole(value: object) -> int | None:
    try:
        return int(value) if isinstance(value, int | float | str) else None
    except (ValueError, OverflowError):
        return None


def _before(graph: Graph, output: str) -> Iterator[Node]:
    waiting, seen = [output], {output}
    while waiting:
        node = graph[waiting.pop(0)]
        yield node
        for name in node.inputs:
            source = node.source(name)
            if name == "negative" or source is None or source in seen:
                continue
            if source in graph:
                seen.add(source)
                waiting.append(source)
