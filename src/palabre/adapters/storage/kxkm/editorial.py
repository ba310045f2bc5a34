"""Personas, sources, feedback and proposals in `v2-local/*.json`, known by their shapes."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

import msgspec

from palabre.adapters.storage.kxkm.source import SourceFile
from palabre.adapters.storage.sql.signs import sayable
from palabre.core.editorial.votes import VERDICTS, Judgement, read_judgement

JSON_FILE = re.compile(r"v2-local/[^/]+\.json")
JUDGED = re.compile(r"feedback/([^/]+)\.jsonl")

Item = Mapping[str, object]
Kind = Literal["persona", "source", "feedback", "proposal"]

_SHAPES: tuple[tuple[Kind, frozenset[str]], ...] = (
    ("proposal", frozenset({"personaId", "before", "after"})),
    ("feedback", frozenset({"personaId", "kind", "message"})),
    ("source", frozenset({"personaId", "subjectName"})),
    ("persona", frozenset({"id", "name", "model"})),
)
_FOREIGN = (
    ("session", frozenset({"username", "expiresAt"})),
    ("engine", frozenset({"graphId"})),
    ("engine", frozenset({"id", "name", "description"})),
)
"""What has a shape of its own and no place here."""

_MAX_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Found:
    """One thing, and where it stands.

    Attributes:
        kind: A kind of ours, or why it is left out.
    """

    place: str
    kind: str
    item: Item


def things_in(file: SourceFile) -> Iterator[Found]:
    """Yield the things in *file*, whether they are a list, or by their ids, or alone.

    Raises:
        ValueError: It is no JSON.
        OSError: It cannot be read.
    """
    try:
        content: object = msgspec.json.decode(file.content().removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.MsgspecError, RecursionError) as fault:
        raise ValueError(file.name) from fault
    for number, item in enumerate(_items(content, _MAX_DEPTH), 1):
        yield Found(f"{file.name}#{number}", _kind(item), item)


def _items(value: object, depth: int) -> Iterator[Item]:
    if isinstance(value, dict) and (_kind(value) != "unknown" or depth == 0):
        yield value
    elif isinstance(value, dict | list) and depth:
        for each in value.values() if isinstance(value, dict) else value:
            yield from _items(each, depth - 1)
    elif not isinstance(value, dict | list):
        yield {}


def _kind(item: Item) -> str:
    keys = item.keys()
    shapes = (*_SHAPES, *_FOREIGN)
    return next((kind for kind, needed in shapes if needed <= keys), "unknown")


def words(item: Item, name: str, most: int) -> str:
    """Return the text *name* of *item*, trimmed and cut to *most*; empty if it has none."""
    value = item.get(name)
    return sayable(value.strip()[:most]) if isinstance(value, str) else ""


def moment(item: Item, fallback: datetime) -> datetime:
    """Return when *item* was made; *fallback* if it does not say."""
    try:
        at = datetime.fromisoformat(str(item.get("createdAt")))
        return at.replace(tzinfo=at.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return fallback


def judgement_in(line: bytes) -> Judgement | None:
    """Return what a line of `feedback/<persona>.jsonl` says of an answer; None if nothing."""
    try:
        item = msgspec.json.decode(line, type=dict[str, object])
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None
    if isinstance(message := item.get("message"), str) and (read := read_judgement(message)):
        return read
    said = str(item.get("vote") or item.get("signal") or item.get("type") or "").lower()
    verdict = next((each for each in VERDICTS if each == said), None)
    response = words(item, "response", 32_000)
    if verdict is None or not response:
        return None
    return Judgement(
        verdict,
        response,
        prompt=words(item, "prompt", 16_000),
        message_id=words(item, "messageId", 100),
        channel=words(item, "channel", 100),
        reaction=words(item, "reaction", 32),
    )


def leaning_of(message: str) -> int:
    """Return which way a vote in plain words leans: 1, -1, or 0 if it does not say."""
    said = set(re.findall(r"[+-]?1\b|[a-z]+|👍|👎", message.lower()))
    is_for = bool(said & {"up", "+1", "1", "upvote", "like", "👍"})
    is_against = bool(said & {"down", "-1", "downvote", "dislike", "👎"})
    return is_for - is_against


def id_of(place: str, line: bytes) -> str:
    """Return an id for what has none: the same for the same."""
    digest = hashlib.sha256(place.encode() + b"\n" + line).hexdigest()
    return f"feedback_kxkm_{digest[:24]}"
