"""The book of a card: entries that are told when their words are said, and `@@` decorators."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from palabre.wire.cards.members import whole

# Decorators stand at the head; blank lines may stand between them and around them.
_DECORATORS = re.compile(r"\A(?:[ \t]*+(?:@@@?[A-Za-z_][^\n]*+)?(?:\n|\Z))++")
_NAME = re.compile(r"^[ \t]*@@@?([A-Za-z_]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LoreEntry:
    """One entry of the book.

    Attributes:
        content: What is told, without decorators.
        order: Lower ones are told earlier.
        is_enabled: Whether it may be told at all.
        is_constant: Whether it is told whatever is said.
    """

    content: str
    order: float
    is_enabled: bool
    is_constant: bool


def read_lore(book: object) -> tuple[LoreEntry, ...]:
    """Return the entries of *book*, in the order in which they are told."""
    entries = book.get("entries") if isinstance(book, Mapping) else None
    if not isinstance(entries, list):
        return ()
    found = [_entry(each) for each in entries if isinstance(each, Mapping)]
    return tuple(sorted(found, key=lambda entry: entry.order))


def without_decorators(content: str) -> str:
    """Return *content* without the decorators at its head and the blank lines around them."""
    match = _DECORATORS.match(content)
    return content[match.end() :] if match and "@@" in match[0] else content


def decorators(content: str) -> frozenset[str]:
    """Return the names of the decorators at the head of *content*, fallbacks included."""
    match = _DECORATORS.match(content)
    return frozenset(_NAME.findall(match[0])) if match else frozenset()


def _entry(table: Mapping[str, object]) -> LoreEntry:
    content = table.get("content")
    words = whole(content) if isinstance(content, str) else ""
    named = decorators(words)
    order = table.get("insertion_order")
    return LoreEntry(
        content=without_decorators(words).strip(),
        order=order if isinstance(order, float) and math.isfinite(order) else 0.0,
        is_enabled=table.get("enabled") is not False,
        is_constant="activate" in named
        or (table.get("constant") is True and "dont_activate" not in named),
    )
