"""clean_text."""

import pytest

from palabre.core.engine.artifacts import Record
from palabre.core.engine.model import NodeId, RunId
from palabre.core.engine.step import Done, StepCall
from palabre.core.tools.model import Json
from palabre.features.nodes.clean_text import NODE
from palabre.testing.engine_steps import Contents, a_context, a_dataset, rows_of


async def cleaned(row: Record, **params: Json) -> Record:
    contents: Contents = {}
    given = await a_dataset(contents, [row])
    call = StepCall(RunId("r"), NodeId("n"), "local_cpu", "lea", params, {"dataset": [given]})
    result = await NODE.run(call, a_context(call, contents))
    assert isinstance(result, Done)
    return rows_of(contents, result.outputs[0], result.outputs[0].files[0])[0]


@pytest.mark.parametrize(
    ("trim", "keep_lines", "clean"),
    [
        (True, False, "un deux trois"),
        (False, False, " un deux trois "),
        (True, True, "un deux\n\ntrois"),
    ],
)
async def test_blanks_become_one(trim: bool, keep_lines: bool, clean: str) -> None:
    row: Record = {"text": "  un\t deux \n\n\n\n trois\u00a0"}
    expected = {"text": clean.replace("\ntrois", "\n trois") if keep_lines else clean}
    assert await cleaned(row, trim=trim, keep_lines=keep_lines) == expected


async def test_texts_are_cleaned_wherever_they_are_and_nothing_else_is() -> None:
    row: Record = {"a": [{"b": " x  y "}, 3, None, True], "n": 1.5}
    assert await cleaned(row, trim=True) == {"a": [{"b": "x y"}, 3, None, True], "n": 1.5}
