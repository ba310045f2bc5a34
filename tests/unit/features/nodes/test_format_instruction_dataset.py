"""format_instruction_dataset."""

from palabre.core.engine.artifacts import Kind, Record
from palabre.core.engine.model import NodeId, RunId
from palabre.core.engine.step import Done, StepCall
from palabre.features.nodes.format_instruction_dataset import NODE
from palabre.testing.engine_steps import Contents, a_context, a_dataset, rows_of

ASKS, SAYS = {"role": "user", "content": "Qui ?"}, {"role": "assistant", "content": "Moi."}
ROWS: list[Record] = [
    {"instruction": "Qui ?", "output": "Moi."},
    {"text": "sans question"},
    {"messages": [ASKS, SAYS, ASKS, SAYS]},
    {"messages": [ASKS, SAYS, ASKS]},
]


async def formatted(mode: str) -> list[Record]:
    contents: Contents = {}
    given = await a_dataset(contents, ROWS)
    params = {"mode": mode}
    call = StepCall(RunId("r"), NodeId("n"), "local_cpu", "lea", params, {"dataset": [given]})
    result = await NODE.run(call, a_context(call, contents))
    assert isinstance(result, Done)
    assert result.outputs[0].kind is Kind.DATASET_READY
    return rows_of(contents, result.outputs[0], result.outputs[0].files[0])


async def test_whole_conversations_are_kept_that_end_with_an_answer() -> None:
    assert await formatted("chat") == [
        {"messages": [ASKS, SAYS]},
        {"messages": [ASKS, SAYS, ASKS, SAYS]},
    ]


async def test_instructions_are_single_exchanges() -> None:
    assert await formatted("instruction") == [{"messages": [ASKS, SAYS]}] * 3
