"""remove_duplicates."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from palabre.core.engine.artifacts import Record
from palabre.core.engine.model import NodeId, RunId
from palabre.core.engine.step import Blocked, Done, StepCall
from palabre.features.nodes.remove_duplicates import NODE
from palabre.testing.engine_steps import Contents, a_context, a_dataset, rows_of

ROWS = st.lists(st.dictionaries(st.sampled_from("ab"), st.sampled_from([0, 1, "0", None, True])))


async def kept(**shares: list[Record]) -> dict[str, list[Record]]:
    contents: Contents = {}
    dataset = await a_dataset(contents, shares)
    call = StepCall(RunId("r"), NodeId("n"), "local_cpu", "lea", {}, {"dataset": [dataset]})
    result = await NODE.run(call, a_context(call, contents))
    if isinstance(result, Blocked):
        return {}
    assert isinstance(result, Done)
    (artifact,) = result.outputs
    return {each.part: rows_of(contents, artifact, each) for each in artifact.files}


@settings(max_examples=30)
@given(ROWS)
async def test_each_row_is_kept_once_in_its_order(rows: list[Record]) -> None:
    once = list({json.dumps(row, sort_keys=True): row for row in reversed(rows)}.values())[::-1]
    first = [row for place, row in enumerate(rows) if json.dumps(row, sort_keys=True) not in
             {json.dumps(each, sort_keys=True) for each in rows[:place]}]  # fmt: skip
    assert len(first) == len(once)
    assert (await kept(all=rows)).get("all", []) == first


async def test_what_is_trained_on_is_not_tested_with() -> None:
    found = await kept(train=[{"a": 1, "b": 2}], test=[{"b": 2, "a": 1}, {"a": 3}])
    assert found == {"train": [{"a": 1, "b": 2}], "test": [{"a": 3}]}
