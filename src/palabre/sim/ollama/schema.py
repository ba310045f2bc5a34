"""Answers in the shape that a request's `format` demands."""

import json
from collections.abc import Mapping
from typing import cast

JSON = "json"
"""`format` of requests that want any JSON."""


def in_format(text: str, wanted: object) -> str:
    """Return *text* where it is JSON already or no format is *wanted*, else JSON that holds it.

    Args:
        text: The scripted or improvised answer.
        wanted: `format` of the request: a JSON Schema, `json`, or nothing.
    """
    if not wanted or _is_json(text):
        return text
    schema = wanted if isinstance(wanted, dict) else {"properties": {"answer": {}}}
    return json.dumps(instance(schema, text), ensure_ascii=False)


def instance(schema: Mapping[str, object], text: str) -> object:
    """Return a value that fits *schema*, as far as this reads it; its strings are *text*."""
    plain: dict[object, object] = {
        "integer": schema.get("minimum", 0),
        "number": schema.get("minimum", 0),
        "boolean": False,
        "null": None,
    }
    kind = schema.get("type")
    if choices := schema.get("enum"):
        return cast("list[object]", choices)[0]
    if kind == "array":
        return [instance(_table(schema.get("items")), text)]
    if kind == "object" or "properties" in schema:
        return _object(schema, text)
    return plain.get(kind, text)


def _object(schema: Mapping[str, object], text: str) -> dict[str, object]:
    properties = _table(schema.get("properties"))
    return {name: instance(_table(inner), text) for name, inner in properties.items()}


def _table(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
