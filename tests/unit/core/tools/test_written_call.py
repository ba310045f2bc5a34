import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palabre.core.models.model import ToolCall
from palabre.core.tools.written_call import MAX_HELD_CHARS, judge

NAMES = frozenset({"web_search", "rag_search"})
QUERY = '{"query": "a } \\" b"}'
CALL = ToolCall("", "web_search", QUERY)
BARE = f'{{"name": "web_search", "arguments": {QUERY}}}'
FORMS = [
    BARE,
    f"\n  {BARE}",
    f"```json\n{BARE}\n```",
    f"```\n{BARE}\n```",
    f"```JSON {BARE}```",
    f"```tool_call\n{BARE}\n```",
    f"<tool_call>\n{BARE}\n</tool_call>",
    f"<tool_call>{BARE}</tool_call>",
    f'{{"arguments": {QUERY}, "name": "web_search"}}',
    f'{{"name": "web_search", "parameters": {QUERY}}}',
    f'{{"type": "function", "function": {BARE}}}',
    json.dumps({"id": "1", "name": "web_search", "arguments": QUERY}),
]
OTHERS = [
    "Bonjour",
    '{"name": "Paris", "arguments": {}}',
    '{"nom": "web_search"}',
    "{ x }",
    "[1]",
    '```python\nprint("web_search")\n```',
    "`code`",
    "<table>",
    '{"name": "web_search", "arguments": {oops}}',
    '{"name": ["web_search"]}',
    '{"name": {"name": "web_search"}}',
]


@pytest.mark.parametrize("form", FORMS)
def test_a_call_is_read_in_any_form(form: str) -> None:
    judged = judge(form, NAMES)
    assert judged.verdict == CALL
    assert form[judged.end :].strip() == judged.closing


@pytest.mark.parametrize("form", FORMS)
def test_until_it_is_whole_a_call_stays_open(form: str) -> None:
    whole = next(
        size
        for size in range(len(form) + 1)
        if isinstance(judge(form[:size], NAMES).verdict, ToolCall)
    )
    assert form[whole - 1] == "}"
    assert all(judge(form[:size], NAMES).verdict == "open" for size in range(whole))


@pytest.mark.parametrize("other", OTHERS)
def test_everything_else_is_no_call(other: str) -> None:
    assert judge(other, NAMES).verdict == "no"


def test_an_unknown_name_is_seen_before_the_end() -> None:
    assert judge('{"name": "web', NAMES).verdict == "open"
    assert judge('{"name": "Pa', NAMES).verdict == "no"
    assert judge('{"name": "web"', NAMES).verdict == "no"


def test_nothing_is_held_back_for_ever() -> None:
    assert judge(" " * (MAX_HELD_CHARS + 1), NAMES).verdict == "no"
    endless = '{"name": "web_search", "arguments": {"query": "' + "x" * MAX_HELD_CHARS
    assert judge(endless, NAMES).verdict == "no"


@given(st.text(alphabet='{}[]"\\:,`<>/ \nabeghjmnrsow_', max_size=60))
def test_no_beginning_of_another_text_becomes_a_call_late(text: str) -> None:
    judged = judge(text, NAMES)
    if judged.verdict == "no":
        assert judge(f"{text}x", NAMES).verdict == "no"
