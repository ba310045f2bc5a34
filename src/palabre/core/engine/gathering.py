"""Make a dataset of the owner's files."""

from collections.abc import AsyncGenerator, Sequence

from palabre.core.engine.artifacts import Kind, Record
from palabre.core.engine.errors import DatasetUnreadableError
from palabre.core.engine.reading import reader_of
from palabre.core.engine.services import DatasetFolder, Services
from palabre.core.engine.step import NotConfigured, StepCall, StepContext, StepResult
from palabre.core.engine.streaming import Tally, finished
from palabre.core.tools.model import Json
from palabre.kernel.text import Text, text

ENDINGS = ".jsonl, .ndjson, .json, .csv, .txt, .md"


def why_no_folder(services: Services) -> Text | None:
    """Return why no files can be read; None if they can."""
    return None if services.folder else text("step.no_folder")


async def gathered(call: StepCall, context: StepContext, files: Sequence[str]) -> StepResult:
    """Write the rows of *files*, one file after the other, to the output `dataset`.

    Raises:
        DatasetUnreadableError: One of them is of a kind that is not read, or broken.
        ArtifactNotFoundError: One of them is not there.
    """
    folder = context.services.folder
    if folder is None:
        return NotConfigured(text("step.no_folder"))
    tally = Tally()
    async with context.files.writing("dataset") as writer:
        for done, file in enumerate(files):
            context.report.progress(100 * done / len(files))
            async for rows in _rows(folder, file):
                context.report.check()
                await writer.write(rows)
                tally.read, tally.written = tally.read + len(rows), tally.written + len(rows)
    payload: dict[str, Json] = {"path": call.words("path"), "files": len(files)}
    return await finished(context, tally, "dataset", Kind.DATASET, payload)


async def _rows(folder: DatasetFolder, file: str) -> AsyncGenerator[list[Record]]:
    reader = reader_of(file)
    if reader is None:
        raise DatasetUnreadableError(file=file, line=0, detail=ENDINGS)
    async for piece in folder.text(file):
        yield reader.feed(piece)
    yield reader.end()
