"""A dataset of the owner's files."""

import pytest

from palabre.core.engine.artifacts import ArtifactFile
from palabre.core.engine.errors import ArtifactNotFoundError, DatasetUnreadableError
from palabre.core.engine.gathering import gathered, why_no_folder
from palabre.core.engine.model import NodeId, RunId
from palabre.core.engine.services import Services
from palabre.core.engine.step import Blocked, Done, NotConfigured, StepCall
from palabre.testing.engine_steps import Contents, MemoryFolder, a_context, rows_of

CALL = StepCall(RunId("r"), NodeId("n"), "local_cpu", "lea", {"path": "x"})
FOLDER = Services(
    MemoryFolder({"a.jsonl": '{"a": 1}\n', "b.txt": "un\n\ndeux", "c.bin": "?", "d.csv": "a\n"})
)


async def test_rows_of_all_files_follow_each_other() -> None:
    contents: Contents = {}
    result = await gathered(CALL, a_context(CALL, contents, FOLDER), ["b.txt", "a.jsonl"])
    assert isinstance(result, Done)
    (file,) = result.outputs[0].files
    assert isinstance(file, ArtifactFile)
    assert rows_of(contents, result.outputs[0], file) == [
        {"text": "un"},
        {"text": "deux"},
        {"a": 1},
    ]
    assert result.outputs[0].payload == {"path": "x", "files": 2}


async def test_a_file_without_rows_blocks() -> None:
    assert isinstance(await gathered(CALL, a_context(CALL, {}, FOLDER), ["d.csv"]), Blocked)


async def test_a_kind_that_is_not_read_and_a_file_that_is_not_there_are_errors() -> None:
    with pytest.raises(DatasetUnreadableError):
        await gathered(CALL, a_context(CALL, {}, FOLDER), ["c.bin"])
    with pytest.raises(ArtifactNotFoundError):
        await gathered(CALL, a_context(CALL, {}, FOLDER), ["z.txt"])


async def test_without_a_folder_nothing_is_configured() -> None:
    assert isinstance(await gathered(CALL, a_context(CALL, {}), ["a.jsonl"]), NotConfigured)
    assert why_no_folder(Services()) is not None
    assert why_no_folder(FOLDER) is None
