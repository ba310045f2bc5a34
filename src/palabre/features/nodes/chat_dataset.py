"""chat_dataset: conversations as they are, of those that end with an answer."""

from palabre.core.engine.artifacts import Kind, Record
from palabre.core.engine.conversations import as_json, conversation_of, is_complete
from palabre.core.engine.node_types import CPU_OR_CLUSTER, Input, NodeType, Output
from palabre.core.engine.step import StepCall, StepContext, StepResult
from palabre.core.engine.streaming import changed


async def _run(call: StepCall, context: StepContext) -> StepResult:
    kind = Kind.DATASET_READY
    return await changed(call, context, _ready, output="dataset_ready", kind=kind)


def _ready(record: Record) -> Record | None:
    """Return *record* with its conversation as `messages`; what else it says of itself stays."""
    turns = conversation_of(record)
    while turns and turns[-1]["role"] != "assistant":
        turns.pop()
    if not turns or not is_complete(turns):
        return None
    kept = {name: record[name] for name in ("channel", "persona", "date") if name in record}
    return {**kept, "messages": as_json(turns)}


NODE = NodeType(
    "chat_dataset",
    "builder",
    _run,
    inputs=(Input("dataset", Kind.DATASET),),
    outputs=(Output("dataset_ready", Kind.DATASET_READY),),
    runtimes=CPU_OR_CLUSTER,
    cacheable=True,
    place="process",
)
