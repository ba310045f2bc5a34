"""remove_duplicates: each row once, the first of its like."""

import hashlib
import json

from palabre.core.engine.artifacts import Kind, Record
from palabre.core.engine.node_types import CPU_OR_CLUSTER, Input, NodeType, Output
from palabre.core.engine.seen import Seen
from palabre.core.engine.step import StepCall, StepContext, StepResult
from palabre.core.engine.streaming import changed


async def _run(call: StepCall, context: StepContext) -> StepResult:
    seen = Seen()

    def change(record: Record) -> Record | None:
        return record if seen.add(_digest(record)) else None

    return await changed(call, context, change, output="dataset")


def _digest(record: Record) -> bytes:
    """Return what is the same for equal rows, in whatever order their fields are."""
    written = json.dumps(record, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(written.encode(), digest_size=8).digest()


NODE = NodeType(
    "remove_duplicates",
    "processing",
    _run,
    inputs=(Input("dataset", Kind.DATASET),),
    outputs=(Output("dataset", Kind.DATASET, like="dataset"),),
    runtimes=CPU_OR_CLUSTER,
    cacheable=True,
    place="process",
)
