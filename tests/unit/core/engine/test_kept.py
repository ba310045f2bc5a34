"""What is kept comes back as it was."""

import json

import pytest

from palabre.core.engine.artifacts import Artifact, ArtifactFile, Kind
from palabre.core.engine.kept import kept, kept_result, restored, restored_result
from palabre.core.engine.model import Answer, Graph, Node, NodeId, Question, Run, RunId
from palabre.core.engine.ports import RegisteredModel
from palabre.core.engine.runs import answered, begun, cancel_asked, ended, failed, started
from palabre.core.engine.step import Blocked, Done, NotConfigured, StepCall, StepResult, Waiting
from palabre.core.tools.model import Json
from palabre.kernel.text import text
from palabre.testing.engine_graphs import NOON, a_graph, a_node, a_run

OUT = Artifact(
    *("run_1", "a", "dataset", Kind.PAIRS),
    (ArtifactFile("a.jsonl", "jsonl", 7, "aa", "train", 2), ArtifactFile("b", "bytes", 1, "bb")),
    {"n": [1, {"deep": None}], "moment": "2026-03-20"},
)
ANSWER = Answer("oui", "", "lea", NOON)
A, B = NodeId("a"), NodeId("b")


def again(value: object) -> Json:
    written: Json = json.loads(json.dumps(kept(value)))
    return written


def a_full_run() -> Run:
    nodes = (a_node("a", "x", rows=1), Node(B, "y", "B", {"list": ["un"]}, position=(1.0, 2.5)))
    graph = a_graph(*nodes, edges=("a.dataset > b.dataset",))
    run = started(begun(a_run(graph, parameters={"a.rows": 3}), NOON), A, "key", NOON)
    run = ended(run, A, Waiting(Question("Bon ?", ("oui", "non"), (OUT,))), NOON)
    run = started(answered(run, A, ANSWER), A, "key", NOON)
    run = started(ended(run, A, Done((OUT,), {"rows": 2}), NOON), B, "", NOON)
    return cancel_asked(failed(run, B, text("step.timeout", seconds=1.5), NOON), NOON)


def test_a_run_comes_back() -> None:
    run = a_full_run()
    assert restored(Run, again(run)) == run


def test_a_graph_and_a_call_and_a_model_come_back() -> None:
    call = StepCall(RunId("r"), A, "cluster", "lea", {"n": None}, {"models": (OUT, OUT)}, 2, ANSWER)
    model = RegisteredModel("m_v1", "m", 1, "lora", "b", NOON, "r", "r/a", tags=("x",), files=OUT)
    assert restored(Graph, again(a_graph(a_node("a", "x")))) == a_graph(a_node("a", "x"))
    found = restored(StepCall, again(call))
    assert found.given("models") == OUT
    assert (found.answer, found.attempt, found.params) == (ANSWER, 2, {"n": None})
    assert restored(RegisteredModel, again(model)) == model


@pytest.mark.parametrize(
    "result",
    [
        Done((OUT,), {"a": 1}),
        Waiting(Question("Bon ?", ("oui",))),
        Blocked(text("step.no_rows", read=3)),
        NotConfigured(text("step.no_folder")),
    ],
)
def test_each_result_comes_back(result: StepResult) -> None:
    assert restored_result(json.loads(json.dumps(kept_result(result)))) == result


def test_what_another_version_knew_is_left_out_and_what_it_did_not_know_is_the_default() -> None:
    written = {"name": "a", "format": "jsonl", "size_bytes": 1, "sha256": "x", "colour": "red"}
    assert restored(ArtifactFile, written) == ArtifactFile("a", "jsonl", 1, "x")


def test_what_was_something_else_is_an_error() -> None:
    with pytest.raises(TypeError):
        restored(Run, [])
    with pytest.raises(TypeError):
        restored(Question, {"words": "x", "choices": "abc"})
    with pytest.raises(TypeError):
        restored(ArtifactFile, {"name": "a"})
    with pytest.raises(TypeError):
        restored_result(None)
    with pytest.raises(KeyError):
        restored_result({"kind": "Odd", "result": {}})
