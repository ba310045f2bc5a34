"""dataset_file: the rows of one file."""

from palabre.core.engine.artifacts import Kind
from palabre.core.engine.gathering import gathered, why_no_folder
from palabre.core.engine.node_types import CPU, NodeType, Output, Param
from palabre.core.engine.step import StepCall, StepContext, StepResult


async def _run(call: StepCall, context: StepContext) -> StepResult:
    return await gathered(call, context, (call.words("path"),))


NODE = NodeType(
    "dataset_file",
    "source",
    _run,
    outputs=(Output("dataset", Kind.DATASET),),
    params=(Param("path", "text", required=True),),
    runtimes=(*CPU, "cloud_api"),
    lacks=why_no_folder,
    place="process",
)
