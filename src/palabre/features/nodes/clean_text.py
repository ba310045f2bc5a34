"""clean_text: one space where there were several, nothing at the ends."""

import re
from collections.abc import Mapping, Sequence

from palabre.core.engine.artifacts import Kind, Record
from palabre.core.engine.node_types import CPU_OR_CLUSTER, Input, NodeType, Output, Param
from palabre.core.engine.step import StepCall, StepContext, StepResult
from palabre.core.engine.streaming import changed
from palabre.core.tools.model import Json

_BLANKS = re.compile(r"\s+")
_BLANKS_OF_LINE = re.compile(r"[^\S\n]+")
_EMPTY_LINES = re.compile(r"\n{3,}")


async def _run(call: StepCall, context: StepContext) -> StepResult:
    trim, keep_lines = call.is_on("trim"), call.is_on("keep_lines")

    def change(record: Record) -> Record:
        return {name: _clean(value, trim, keep_lines) for name, value in record.items()}

    return await changed(call, context, change, output="dataset")


def _clean(value: Json, trim: bool, keep_lines: bool) -> Json:  # noqa: FBT001 - two parameters
    if isinstance(value, str):
        clean = _lines(value) if keep_lines else _BLANKS.sub(" ", value)
        return clean.strip() if trim else clean
    if isinstance(value, Mapping):
        return {name: _clean(each, trim, keep_lines) for name, each in value.items()}
    if isinstance(value, Sequence):
        return [_clean(each, trim, keep_lines) for each in value]
    return value


def _lines(value: str) -> str:
    lines = _BLANKS_OF_LINE.sub(" ", value).split("\n")
    return _EMPTY_LINES.sub("\n\n", "\n".join(line.rstrip() for line in lines))


NODE = NodeType(
    "clean_text",
    "processing",
    _run,
    inputs=(Input("dataset", Kind.DATASET),),
    outputs=(Output("dataset", Kind.DATASET, like="dataset"),),
    params=(
        Param("trim", "boolean", default=True),
        Param("keep_lines", "boolean", default=False),
    ),
    runtimes=CPU_OR_CLUSTER,
    cacheable=True,
    place="process",
)
