"""split_dataset."""

from hypothesis import given, settings
from hypothesis import strategies as st

from palabre.core.engine.artifacts import Kind, Record
from palabre.core.engine.model import NodeId, RunId
from palabre.core.engine.step import Blocked, Done, StepCall
from palabre.features.nodes.split_dataset import NODE
from palabre.testing.engine_steps import Contents, a_context, a_dataset, rows_of


async def split(
    rows: list[Record], train: float, test: float, method: str
) -> list[list[Record]] | None:
    contents: Contents = {}
    dataset = await a_dataset(contents, rows, Kind.PAIRS)
    params = {"train": train, "test": test, "method": method}
    call = StepCall(RunId("r"), NodeId("n"), "local_cpu", "lea", params, {"dataset": [dataset]})
    result = await NODE.run(call, a_context(call, contents))
    if isinstance(result, Blocked):
        return None
    assert isinstance(result, Done)
    (artifact,) = result.outputs
    assert (artifact.kind, artifact.parts) == (Kind.PAIRS, ("train", "test"))
    return [rows_of(contents, artifact, each) for each in artifact.files]


def numbered(count: int) -> list[Record]:
    return [{"n": number} for number in range(count)]


@settings(max_examples=30)
@given(st.integers(2, 60), st.floats(0.01, 1), st.floats(0, 1))
async def test_in_order_no_row_is_lost_and_no_share_is_empty(
    count: int, train: float, test: float
) -> None:
    found = await split(numbered(count), train, test, "order")
    assert found is not None
    assert found[0] + found[1] == numbered(count)
    assert all(found)
    ratio = min(max(train / (train + test), 0.5), 0.99)
    assert abs(len(found[0]) - ratio * count) <= 1


async def test_nine_of_ten_are_to_train_on() -> None:
    found = await split(numbered(20), 0.9, 0.1, "order")
    assert found is not None
    assert list(map(len, found)) == [18, 2]


@settings(max_examples=30)
@given(st.integers(40, 120), st.integers(0, 40))
async def test_by_content_a_row_stays_on_its_side_when_others_are_added(
    count: int, more: int
) -> None:
    before = await split(numbered(count), 0.5, 0.5, "content")
    after = await split(numbered(count + more), 0.5, 0.5, "content")
    assert before is not None and after is not None
    for old, new in zip(before, after, strict=True):
        assert [each for each in new if each in numbered(count)] == old


async def test_one_row_cannot_be_shared_out() -> None:
    assert await split(numbered(1), 0.9, 0.1, "order") is None


async def test_a_share_that_stays_empty_blocks() -> None:
    assert await split([{"n": 1}] * 5, 0.5, 0.5, "content") is None
