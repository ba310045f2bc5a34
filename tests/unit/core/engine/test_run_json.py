"""Runs as JSON."""

from palabre.core.engine.artifacts import Artifact, ArtifactFile, Kind
from palabre.core.engine.model import Answer, NodeId, Question
from palabre.core.engine.run_json import artifact_to_json, run_to_json
from palabre.core.engine.runs import answered, begun, blocked, ended, started
from palabre.core.engine.step import Done, Waiting
from palabre.kernel.text import text
from palabre.testing.engine_graphs import NOON, a_graph, a_node, a_run
from palabre.texts import say

OUT = Artifact(
    *("run_1", "a", "dataset", Kind.DATASET),
    (ArtifactFile("dataset.jsonl", "jsonl", 7, "aa", records=2),),
    {"path": "x"},
)
KEYS_OF_V1 = [
    "id",
    "graphId",
    "graphName",
    "graphVersion",
    "graphSnapshot",
    "actor",
    "status",
    "createdAt",
    "queuedAt",
    "startedAt",
    "finishedAt",
    "runtime",
    "stepCount",
    "runtimes",
    "cancelRequestedAt",
    "recoveredAt",
    "recoveryCount",
    "steps",
    "artifactSummary",
]
STEP_KEYS_OF_V1 = [
    "id",
    "type",
    "title",
    "order",
    "runtime",
    "status",
    "outputs",
    "error",
    "details",
    "startedAt",
    "finishedAt",
]


def test_a_run_is_written_as_v1_wrote_it() -> None:
    graph = a_graph(a_node("a", "x"), a_node("b", "y", "cluster"), a_node("c", "z"), version=4)
    run = started(begun(a_run(graph), NOON), NodeId("a"), "", NOON)
    run = ended(run, NodeId("a"), Done((OUT,), {"rows": 2}), NOON)
    run = blocked(run, NodeId("b"), text("step.no_folder"), NOON)
    written = run_to_json(run, lambda each: say(each, "en"))
    assert set(KEYS_OF_V1) <= written.keys()
    assert (written["graphVersion"], written["stepCount"], written["status"]) == (4, 3, "running")
    assert written["runtimes"] == ["local_cpu", "cluster"]
    assert written["artifactSummary"] == {"totalArtifacts": 1, "stepArtifacts": {"a": 1}}
    assert (written["startedAt"], written["finishedAt"]) == ("2026-03-20T12:00:00.000Z", None)
    steps = written["steps"]
    assert isinstance(steps, list)
    assert set(STEP_KEYS_OF_V1) <= steps[0].keys()
    assert [each["error"] for each in steps] == [None, "No folder of datasets is configured.", None]


def test_an_artifact_says_where_it_lies_and_what_it_is() -> None:
    written = artifact_to_json(OUT)
    assert [written[each] for each in ("stepId", "name", "file", "relativePath", "payload")] == [
        *("a", "dataset", "dataset.json", "run_1/a/dataset.json", {"path": "x"})
    ]
    assert (written["digest"], written["sizeBytes"]) == (OUT.digest, 7)


def test_questions_and_answers_are_written() -> None:
    run = started(begun(a_run(a_graph(a_node("a", "x"))), NOON), NodeId("a"), "", NOON)
    run = ended(run, NodeId("a"), Waiting(Question("Bon ?", ("oui", "non"), (OUT,))), NOON)
    run = answered(run, NodeId("a"), Answer("oui", "bien", "lea", NOON))
    steps = run_to_json(run, say)["steps"]
    assert isinstance(steps, list)
    assert steps[0]["question"]["choices"] == ["oui", "non"]
    assert steps[0]["question"]["shows"] == [artifact_to_json(OUT)]
    assert steps[0]["answer"] == {
        "choice": "oui",
        "comment": "bien",
        "by": "lea",
        "at": "2026-03-20T12:00:00.000Z",
    }
