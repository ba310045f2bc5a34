"""format_instruction_dataset: questions and answers as `messages` to train on."""

from palabre.core.engine.artifacts import Kind, Record
from palabre.core.engine.conversations import as_json, conversation_of, is_complete, single
from palabre.core.engine.node_types import CPU_OR_CLUSTER, Input, NodeType, Output, Param
from palabre.core.engine.step import StepCall, StepContext, StepResult
from palabre.core.engine.streaming import changed


async def _run(call: StepCall, context: StepContext) -> StepResult:
    one_exchange = call.words("mode") == "instruction"

    def change(record: Record) -> Record | None:
        turns = conversation_of(record)
        kept = single(turns) if one_exchange else turns
        if not kept or not is_complete(kept):
            return None
        return {"messages": as_json(kept)}

    kind = Kind.DATASET_READY
    return await changed(call, context, change, output="dataset_ready", kind=kind)


NODE = NodeType(
    "format_instruction_dataset",
    "builder",
    _run,
    inputs=(Input("dataset", Kind.DATASET),),
    outputs=(Output("dataset_ready", Kind.DATASET_READY),),
    params=(Param("mode", "choice", default="chat", choices=("chat", "instruction")),),
    runtimes=CPU_OR_CLUSTER,
    cacheable=True,
    place="process",
)
