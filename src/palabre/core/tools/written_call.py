"""Calls of tools that a model writes into its answer instead of making them. Pure.

Small models write `{"name": ..., "arguments": ...}`, bare, in a fence, or between the tags of their
training. What can still become one is held back; what turns out to be something else is shown.
"""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from palabre.core.models.model import ToolCall

MAX_HELD_CHARS = 4000
"""Longest call; what goes on longer is shown as it is."""

_FENCE, _TAG = "```", "<tool_call>"
_LANGUAGES = ("", "json", "tool_call", "tool_code")
_LANGUAGE = re.compile(r"[A-Za-z_]*[ \t]*")
_KEYS = ('"name"', '"arguments"', '"parameters"', '"type"', '"function"', '"id"')
_NAMED = re.compile(r'\{\s*"name"\s*:\s*"([^"]*)("?)')
_CLOSINGS = {_FENCE: "```", _TAG: "</tool_call>"}
_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}]', re.DOTALL)

Verdict = ToolCall | Literal["open", "no"]
"""What a beginning is: a call, one that may yet be, or none."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What was found out about a text.

    Attributes:
        end: Where the call ends; 0 unless it is one.
        closing: What stands behind it then, white space aside; perhaps nothing.
    """

    verdict: Verdict
    end: int = 0
    closing: str = ""


def judge(text: str, names: Collection[str]) -> Judged:
    """Say whether *text* begins with a call of one of *names*, or may once there is more."""
    start = _body_start(text)
    if isinstance(start, str):
        return Judged("open" if start == "open" and len(text) <= MAX_HELD_CHARS else "no")
    if not _may_be_object(text[start:], names):
        return Judged("no")
    end = _object_end(text, start)
    if end is None:
        return Judged("open" if len(text) <= MAX_HELD_CHARS else "no")
    call = _read(text[start:end], names)
    if call is None:
        return Judged("no")
    opened = text.lstrip()
    closings = (shut for mark, shut in _CLOSINGS.items() if opened.startswith(mark))
    return Judged(call, end, next(closings, ""))


def _body_start(text: str) -> int | Literal["open", "no"]:
    """Return where the JSON of *text* begins, if it is opened as calls are."""
    opened = text.lstrip()
    at = len(text) - len(opened)
    for opening in _CLOSINGS:
        if opening.startswith(opened):
            return "open"
        if opened.startswith(opening):
            at += len(opening)
            if opening == _FENCE:
                return _behind_language(text, at)
            break
    while at < len(text) and text[at].isspace():
        at += 1
    return at if at < len(text) else "open"


def _behind_language(text: str, at: int) -> int | Literal["open", "no"]:
    match = _LANGUAGE.match(text, at)
    assert match is not None
    word, end = match.group().strip().lower(), match.end()
    if end == len(text):
        return "open" if any(each.startswith(word) for each in _LANGUAGES) else "no"
    if word not in _LANGUAGES:
        return "no"
    while end < len(text) and text[end].isspace():
        end += 1
    return end if end < len(text) else "open"


def _may_be_object(body: str, names: Collection[str]) -> bool:
    if not body.startswith("{"):
        return False
    if named := _NAMED.match(body):
        word, quote = named.groups()
        return word in names if quote else any(name.startswith(word) for name in names)
    inside = body[1:].lstrip()
    return any(inside.startswith(key) or key.startswith(inside) for key in _KEYS)


def _object_end(text: str, start: int) -> int | None:
    depth = 0
    for match in _STRUCTURE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(match.group(), 0)
        if depth == 0:
            return match.end()
    return None


def _read(body: str, names: Collection[str]) -> ToolCall | None:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    inner = found.get("function") if isinstance(found.get("function"), dict) else found
    name = inner.get("name")
    if not isinstance(name, str) or name not in names:
        return None
    arguments = inner.get("arguments", inner.get("parameters", {}))
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return ToolCall("", name, written)
