import msgspec
import pytest

from palabre.adapters.models.openai_calls import CallPart, CallParts
from palabre.core.models.model import ToolCall


def put_together(*parts: object) -> list[ToolCall]:
    calls = CallParts()
    for part in parts:
        calls.add(msgspec.convert(part, CallPart))
    return calls.whole()


def part(index: int | None = None, id: str | None = None, **function: object) -> object:  # noqa: A002
    return {"index": index, "id": id, "function": function}


WEB = ToolCall("a", "web_search", '{"query":"x"}')
RAG = ToolCall("b", "rag_search", "{}")


@pytest.mark.parametrize(
    "parts",
    [
        [
            part(0, "a", name="web_search", arguments=""),
            part(0, arguments='{"que'),
            part(1, "b", name="rag_search", arguments=""),
            part(0, arguments='ry":"x"}'),
            part(1, arguments="{}"),
        ],
        [part(0, name="web_search"), part(0, "a", arguments='{"query":"x"}'), part(1, "b", name="rag_search")],
        [part(None, "a", name="web_search", arguments={"query": "x"}), part(None, "b", name="rag_search", arguments=None)],
        [part(0, "a", name="web_search", arguments='{"query":"x"}'), part(0, "b", name="rag_search", arguments="{}")],
        [part(None, "a", name="web_search", arguments='{"query":'), part(arguments='"x"}'), part(None, "b", name="rag_search")],
    ],
    ids=("by index, mixed", "late id", "whole, no index", "one index for all", "pieces, no index"),
)  # fmt: skip
def test_two_calls_are_told_apart_whatever_the_server_leaves_out(parts):
    assert put_together(*parts) == [WEB, RAG]


def test_calls_without_ids_are_told_apart_by_their_names():
    calls = put_together(part(name="web_search", arguments="{}"), part(name="rag_search"))
    assert calls == [ToolCall("", "web_search", "{}"), ToolCall("", "rag_search", "{}")]


def test_a_call_without_a_name_is_none():
    assert put_together({"index": 0}, part(1, "b", arguments="{}")) == []
