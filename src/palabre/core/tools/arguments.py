"""Read what a model wrote as a tool's arguments. Pure."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from palabre.core.tools import words
from palabre.core.tools.model import Arguments, Json

MAX_TEXT_CHARS = 500
"""Characters of one text among the arguments (seed 000 §17)."""

MAX_ARGUMENTS_CHARS = 8000
MAX_DEPTH = 4
MAX_ITEMS = 50

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2066-\u2069\ufeff]")
_KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """The arguments will not do; the model is told why."""

    words: str


def read_arguments(schema: str, raw: str) -> Arguments | Refusal:
    """Return *raw* as arguments for a tool whose parameters are *schema*.

    Only the keys that the schema knows are kept; texts are trimmed, without control characters,
    and at most `MAX_TEXT_CHARS` long.
    """
    if len(raw) > MAX_ARGUMENTS_CHARS:
        return Refusal(words.TOO_LONG.format(most=MAX_ARGUMENTS_CHARS))
    given = _object(raw.strip() or "{}")
    if given is None:
        return Refusal(words.NOT_JSON)
    return _checked(given, _object(schema) or {})


def _checked(given: Mapping[str, Json], schema: Mapping[str, Json]) -> Arguments | Refusal:
    properties, required = schema.get("properties"), schema.get("required")
    known = properties if isinstance(properties, Mapping) else {}
    kept: dict[str, Json] = {}
    for name, rule in known.items():
        if name not in given:
            continue
        value = _clean(given[name], MAX_DEPTH)
        if kinds := _unfit(value, rule):
            return Refusal(words.WRONG_TYPE.format(name=name, kinds=kinds))
        kept[name] = value
    for name in required if isinstance(required, list) else ():
        if kept.get(str(name)) in (None, ""):
            return Refusal(words.MISSING.format(name=name))
    return kept


def _unfit(value: Json, rule: Json) -> str:
    """Return the types that *value* should have where it has none of them."""
    wanted = rule.get("type") if isinstance(rule, Mapping) else None
    names = [wanted] if isinstance(wanted, str) else wanted
    if not isinstance(names, list):
        return ""
    kinds = [name for name in names if isinstance(name, str) and name in _KINDS]
    fits = not kinds or any(_is(value, kind) for kind in kinds)
    return "" if fits else ", ".join(kinds)


def _is(value: Json, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _KINDS[kind])


def _clean(value: Json, depth: int) -> Json:
    if isinstance(value, str):
        return _CONTROLS.sub("", value).strip()[:MAX_TEXT_CHARS]
    if isinstance(value, Mapping):
        items = list(value.items())[:MAX_ITEMS] if depth else []
        return {str(_clean(key, 0)): _clean(each, depth - 1) for key, each in items}
    if isinstance(value, Sequence):
        return [_clean(each, depth - 1) for each in value[:MAX_ITEMS]] if depth else []
    return value


def _object(raw: str) -> Mapping[str, Json] | None:
    """Return the JSON object *raw*; None if it is none. Half of a pair becomes U+FFFD."""
    try:
        found = json.loads(raw)
        if not isinstance(found, dict):
            return None
        whole = json.dumps(found, ensure_ascii=False).encode("utf-8", "replace")
        return cast("Mapping[str, Json]", json.loads(whole))
    except (ValueError, RecursionError):
        return None
