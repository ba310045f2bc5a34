"""dataset_file and dataset_folder, and the way from there to what a trainer reads."""

import pytest

from palabre.core.engine.artifacts import Record
from palabre.core.engine.errors import ArtifactNotFoundError
from palabre.core.engine.model import NodeId, RunId
from palabre.core.engine.node_types import NodeType
from palabre.core.engine.services import Services
from palabre.core.engine.step import Done, NotConfigured, StepCall
from palabre.core.engine.validation import faults_of
from palabre.features import nodes
from palabre.kernel.registry import discover
from palabre.testing.clock import FrozenClock
from palabre.testing.engine import InProcessRunner
from palabre.testing.engine_graphs import NOON, a_graph, a_node, a_run
from palabre.testing.engine_steps import (
    Contents,
    MemoryFolder,
    RecordingReporter,
    a_context,
    rows_of,
)
from palabre.testing.ids import CountingIds

TYPES = discover(nodes, "NODE", NodeType)
FILES = {
    "qa/a.jsonl": '{"prompt": "Qui  ?", "completion": "Moi."}\n' * 2,
    "qa/b.csv": "prompt,completion\nOù ?,Ici.\nQuand ?,Hier.\n",
    "qa/photo.png": "?",
    "other.txt": "ailleurs",
}
SERVICES = Services(MemoryFolder(FILES))


async def rows(node_type: str, path: str, contents: Contents) -> tuple[list[Record], list[str]]:
    call = StepCall(RunId("r"), NodeId("n"), "local_cpu", "lea", {"path": path})
    context = a_context(call, contents, SERVICES)
    result = await TYPES[node_type].run(call, context)
    assert isinstance(result, Done)
    assert isinstance(context.report, RecordingReporter)
    (artifact,) = result.outputs
    return rows_of(contents, artifact, artifact.files[0]), context.report.lines


async def test_a_folder_gives_the_rows_of_the_files_that_can_be_read() -> None:
    found, lines = await rows("dataset_folder", "qa", {})
    assert [each["prompt"] for each in found] == ["Qui  ?", "Qui  ?", "Où ?", "Quand ?"]
    assert lines == ["left out, of a kind that is not read: qa/photo.png"]


async def test_a_file_gives_its_rows() -> None:
    assert await rows("dataset_file", "other.txt", {}) == ([{"text": "ailleurs"}], [])


async def test_what_is_not_there_is_an_error_and_without_a_folder_nothing_is_configured() -> None:
    with pytest.raises(ArtifactNotFoundError):
        await rows("dataset_folder", "nowhere", {})
    call = StepCall(RunId("r"), NodeId("n"), "local_cpu", "lea", {"path": "qa"})
    assert isinstance(await TYPES["dataset_folder"].run(call, a_context(call, {})), NotConfigured)


async def test_a_folder_becomes_what_a_trainer_reads() -> None:
    graph = a_graph(
        *(a_node("folder", "dataset_folder", path="qa"), a_node("clean", "clean_text")),
        *(
            a_node("once", "remove_duplicates"),
            a_node("split", "split_dataset", train=0.5, test=0.5),
        ),
        a_node("format", "format_instruction_dataset"),
        edges=(
            *("folder.dataset > clean.dataset", "clean.dataset > once.dataset"),
            *("once.dataset > split.dataset", "split.dataset > format.dataset"),
        ),
    )
    assert faults_of(graph, TYPES) == ()
    runner = InProcessRunner(TYPES, clock=FrozenClock(NOON), ids=CountingIds(), services=SERVICES)
    await runner.runs.add(a_run(graph))
    await runner.enqueue(RunId("run_1"))
    await runner.work()
    run = await runner.runs.find(RunId("run_1"))
    assert run is not None
    assert run.state == "completed", [each.error for each in run.steps]
    (artifact,) = run.steps[-1].outputs
    shares = {each.part: rows_of(runner.contents, artifact, each) for each in artifact.files}
    assert [len(each) for each in shares.values()] == [2, 1]
    assert shares["train"][0] == {
        "messages": [{"role": "user", "content": "Qui ?"}, {"role": "assistant", "content": "Moi."}]
    }
