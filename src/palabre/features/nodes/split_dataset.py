"""split_dataset: one share to train on, one to test with (facts of seed 000, 3.7 c)."""

import hashlib
import json
from collections.abc import Callable

from palabre.core.engine.artifacts import Artifact, Kind, Record
from palabre.core.engine.node_types import CPU_OR_CLUSTER, Input, NodeType, Output, Param
from palabre.core.engine.step import Blocked, Done, StepCall, StepContext, StepResult
from palabre.core.engine.streaming import tell
from palabre.kernel.text import text

LEAST, MOST = 0.5, 0.99
"""Bounds of the share to train on."""

_HASHES = float(1 << 64)
_TWO = 2

Trains = Callable[[int, Record], bool]
"""Whether a row, with its place from 0, is one to train on."""


async def _run(call: StepCall, context: StepContext) -> StepResult:
    given = call.given("dataset")
    if given.records < _TWO:
        return Blocked(text("step.too_few_rows", rows=given.records))
    counts = await _write(given, _trains(call, given.records), context)
    if not all(counts):
        return Blocked(text("step.share_empty", train=counts[0], test=counts[1]))
    artifact = await context.files.artifact("dataset", given.kind, given.payload)
    return Done((artifact,), {"train": counts[0], "test": counts[1]})


def _trains(call: StepCall, rows: int) -> Trains:
    train, test = call.number("train"), call.number("test")
    ratio = min(max(train / (train + test), LEAST), MOST)
    if call.words("method") == "content":
        return lambda _, record: _hash(record) < ratio
    first_of_test = min(max(round(rows * ratio), 1), rows - 1)
    return lambda place, _: place < first_of_test


def _hash(record: Record) -> float:
    """Return a number of 0 to 1, always the same for equal rows."""
    written = json.dumps(record, sort_keys=True, separators=(",", ":"))
    digest = hashlib.blake2b(written.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / _HASHES


async def _write(given: Artifact, trains: Trains, context: StepContext) -> tuple[int, int]:
    """Write both shares; return how many rows each has."""
    place = train = 0
    async with (
        context.files.writing("dataset", "train") as to_train,
        context.files.writing("dataset", "test") as to_test,
    ):
        async for piece in context.files.records(given):
            sides = [trains(place + number, each) for number, each in enumerate(piece)]
            await to_train.write([each for each, side in zip(piece, sides, strict=True) if side])
            await to_test.write([each for each, side in zip(piece, sides, strict=True) if not side])
            place, train = place + len(piece), train + sum(sides)
            tell(context, place, given)
    return train, place - train


NODE = NodeType(
    "split_dataset",
    "processing",
    _run,
    inputs=(Input("dataset", Kind.DATASET),),
    outputs=(Output("dataset", Kind.DATASET, like="dataset"),),
    params=(
        Param("train", "number", default=0.9, least=0.01, most=1.0),
        Param("test", "number", default=0.1, least=0.0, most=1.0),
        Param("method", "choice", default="order", choices=("order", "content"), label="split"),
    ),
    runtimes=CPU_OR_CLUSTER,
    cacheable=True,
    place="process",
)
