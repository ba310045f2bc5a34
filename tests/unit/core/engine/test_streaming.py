"""One dataset becomes another."""

import asyncio

import pytest

from palabre.core.engine.artifacts import Kind, Record
from palabre.core.engine.model import NodeId, RunId
from palabre.core.engine.step import Blocked, Done, StepCall
from palabre.core.engine.streaming import changed
from palabre.testing.engine_steps import Contents, RecordingReporter, a_context, a_dataset, rows_of


async def a_call(contents: Contents, *rows: Record) -> StepCall:
    given = await a_dataset(contents, {"train": rows, "test": [{"n": 9}]}, Kind.PAIRS)
    return StepCall(RunId("r"), NodeId("n"), "local_cpu", "lea", {}, {"dataset": [given]})


def odd(record: Record) -> Record | None:
    number = record["n"]
    return {"n": number, "odd": True} if isinstance(number, int) and number % 2 else None


async def test_each_share_is_changed_for_itself_and_the_kind_stays() -> None:
    contents: Contents = {}
    call = await a_call(contents, *({"n": number} for number in range(8)))
    context = a_context(call, contents)
    result = await changed(call, context, odd, output="out")
    assert isinstance(result, Done)
    (artifact,) = result.outputs
    assert (artifact.output, artifact.kind, artifact.parts) == (
        "out",
        Kind.PAIRS,
        ("train", "test"),
    )
    assert [len(rows_of(contents, artifact, each)) for each in artifact.files] == [4, 1]
    assert result.details == {"read": 9, "written": 5, "left_out": 4}
    assert isinstance(context.report, RecordingReporter)
    assert context.report.percents == sorted(context.report.percents)
    assert context.report.percents[-1] == 100


async def test_a_dataset_of_which_nothing_is_left_blocks() -> None:
    contents: Contents = {}
    call = await a_call(contents)
    result = await changed(call, a_context(call, contents), lambda _: None, output="out")
    assert isinstance(result, Blocked)
    assert result.why.data == {"read": 1}


async def test_a_cancelled_run_stops_between_two_pieces() -> None:
    contents: Contents = {}
    call = await a_call(contents, *({"n": number} for number in range(8)))
    context = a_context(call, contents)
    assert isinstance(context.report, RecordingReporter)
    context.report.cancelled = True
    with pytest.raises(asyncio.CancelledError):
        await changed(call, context, odd, output="out")
    assert not [place for place in contents if place[0] == "r"]
