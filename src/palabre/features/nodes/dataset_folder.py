"""dataset_folder: the rows of all files of a folder, and of those below it."""

from palabre.core.engine.artifacts import Kind
from palabre.core.engine.gathering import gathered, why_no_folder
from palabre.core.engine.node_types import CPU, NodeType, Output, Param
from palabre.core.engine.reading import reader_of
from palabre.core.engine.step import NotConfigured, StepCall, StepContext, StepResult
from palabre.kernel.text import text


async def _run(call: StepCall, context: StepContext) -> StepResult:
    folder = context.services.folder
    if folder is None:
        return NotConfigured(text("step.no_folder"))
    found = await folder.files(call.words("path"))
    read = [each for each in found if reader_of(each)]
    for each in found:
        if each not in read:
            context.report.log(f"left out, of a kind that is not read: {each}")
    return await gathered(call, context, read)


NODE = NodeType(
    "dataset_folder",
    "source",
    _run,
    outputs=(Output("dataset", Kind.DATASET),),
    params=(Param("path", "text", required=True, label="folder"),),
    runtimes=CPU,
    lacks=why_no_folder,
    place="process",
)
