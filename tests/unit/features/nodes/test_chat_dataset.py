"""chat_dataset."""

from palabre.core.engine.artifacts import Record
from palabre.core.engine.model import NodeId, RunId
from palabre.core.engine.step import Blocked, Done, StepCall
from palabre.features.nodes.chat_dataset import NODE
from palabre.testing.engine_steps import Contents, a_context, a_dataset, rows_of

ASKS, SAYS = {"role": "user", "content": "Qui ?"}, {"role": "assistant", "content": "Moi."}


async def ready(*rows: Record) -> list[Record] | None:
    contents: Contents = {}
    given = await a_dataset(contents, rows)
    call = StepCall(RunId("r"), NodeId("n"), "local_cpu", "lea", {}, {"dataset": [given]})
    result = await NODE.run(call, a_context(call, contents))
    if isinstance(result, Blocked):
        return None
    assert isinstance(result, Done)
    return rows_of(contents, result.outputs[0], result.outputs[0].files[0])


async def test_a_conversation_ends_with_its_last_answer_and_keeps_where_it_was() -> None:
    rows = await ready({"messages": [ASKS, SAYS, ASKS], "channel": "#general", "score": 3})
    assert rows == [{"channel": "#general", "messages": [ASKS, SAYS]}]


async def test_what_has_no_answer_is_left_out() -> None:
    assert await ready({"messages": [ASKS]}, {"messages": [SAYS]}, {"text": "seul"}) is None
