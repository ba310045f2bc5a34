"""Tools as both dialects write them, and calls of tools as models write them."""

from collections.abc import Sequence

import msgspec

from palabre.core.models.model import ToolCall, ToolSpec


def tool_rows(tools: Sequence[ToolSpec]) -> list[dict[str, object]]:
    """Return the `tools` of a request."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": json_value(tool.parameters),
            },
        }
        for tool in tools
    ]


def json_value(text: str) -> object:
    """Return what the JSON *text*, which is our own, says."""
    value: object = msgspec.json.decode(text)
    return value


def arguments_of(call: ToolCall) -> dict[str, object]:
    """Return the arguments of *call* as an object; empty where the model wrote none.

    Servers refuse a prompt whose past calls have anything else.
    """
    try:
        return msgspec.json.decode(call.arguments, type=dict[str, object])
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return {}


def arguments_text(arguments: object) -> str:
    """Return *arguments*, an object or JSON text already, as JSON text."""
    if isinstance(arguments, str):
        return arguments or "{}"
    return msgspec.json.encode({} if arguments is None else arguments).decode()
