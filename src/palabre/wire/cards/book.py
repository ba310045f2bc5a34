"""A book as programs keep it for themselves, in the shape that cards have.

Some write their own into a card: entries in an object, with names of theirs. A reader of the
specification finds nothing in it (SillyTavern#5777), so an export puts it in order: what the
specification has a name for gets it, all else goes below `extensions`.
"""

from collections.abc import Mapping

from palabre.wire.cards.errors import CardError
from palabre.wire.cards.members import (
    Member,
    member,
    raw_member,
    read_object,
    read_value,
    write_object,
)

_BOOK_NAMES = frozenset(
    {
        *("name", "description", "scan_depth", "token_budget", "recursive_scanning"),
        *("extensions", "entries"),
    }
)
_ENTRY_NAMES = frozenset(
    {
        *("keys", "content", "extensions", "enabled", "insertion_order", "case_sensitive"),
        *("use_regex", "constant", "name", "priority", "id", "comment", "selective"),
        *("secondary_keys", "position"),
    }
)
_RENAMED = {
    "key": "keys",
    "keysecondary": "secondary_keys",
    "order": "insertion_order",
    "uid": "id",
    "caseSensitive": "case_sensitive",
}
_NEEDED: Mapping[str, object] = {
    "keys": [],
    "content": "",
    "extensions": {},
    "enabled": True,
    "insertion_order": 100,
    "use_regex": False,
}
_PLACES = {0.0: "before_char", 1.0: "after_char"}


def shaped(book: Member) -> Member:
    """Return *book* with its entries in an array; as it is if they are, or if it is no book."""
    known = book.value.get("entries") if isinstance(book.value, Mapping) else None
    if not isinstance(known, Mapping):
        return book
    try:
        members = read_object(book.raw)
        entries = read_object(members["entries"].raw)
        rows = ",".join(write_object(_entry(each.raw)) for each in entries.values())
    except CardError:
        return book
    members["entries"] = raw_member("entries", f"[{rows}]")
    raw = write_object(_ordered(members, _BOOK_NAMES, {"extensions": {}}))
    return Member(book.key, raw, read_value(raw))


def _entry(raw: str) -> dict[str, Member]:
    entry = read_object(raw)
    for old, new in _RENAMED.items():
        if old in entry and new not in entry:
            entry[new] = raw_member(new, entry.pop(old).raw)
    if "disable" in entry and "enabled" not in entry:
        entry["enabled"] = member("enabled", entry.pop("disable").value is not True)
    place = entry["position"].value if "position" in entry else None
    if isinstance(place, float):
        moved = entry.pop("position")
        named = _PLACES.get(place)
        entry |= (
            {"position": member("position", named)}
            if named
            else {"x_position": raw_member("x_position", moved.raw)}
        )
    return _ordered(entry, _ENTRY_NAMES, _NEEDED)


def _ordered(
    members: Mapping[str, Member], names: frozenset[str], needed: Mapping[str, object]
) -> dict[str, Member]:
    """Put what is not in *names* below `extensions`, and add what is *needed*."""
    strange = {key: each for key, each in members.items() if key not in names}
    found = {key: each for key, each in members.items() if key in names}
    inner = found["extensions"].raw if "extensions" in found else "{}"
    kept = read_object(inner) if inner.startswith("{") else {}
    found["extensions"] = raw_member("extensions", write_object({**strange, **kept}))
    return {**{key: member(key, value) for key, value in needed.items()}, **found}
