"""The V2 copy of a card, for programs that do not know V3."""

from palabre.wire.cards.document import V2, CardDocument, complete, write_as
from palabre.wire.cards.errors import CardError
from palabre.wire.cards.lore import without_decorators
from palabre.wire.cards.members import Member, member, raw_member, read_array, read_object
from palabre.wire.cards.members import write_object as write

NOTICE = "This is the V2 copy of a Character Card V3: a program that reads V3 will show more of it."
"""V3 asks for such a warning at the head of `creator_notes`."""

_NEW_IN_V3 = frozenset(
    {
        *("assets", "nickname", "creator_notes_multilingual", "source"),
        *("group_only_greetings", "creation_date", "modification_date"),
    }
)


def write_v2(card: CardDocument) -> bytes:
    """Write *card* as V2: without what only V3 has, without decorators, with a notice."""
    whole = complete(card.data)
    data = {key: each for key, each in whole.items() if key not in _NEW_IN_V3}
    notes = card.fields.creator_notes.removeprefix(NOTICE).lstrip("\n")
    data["creator_notes"] = member("creator_notes", f"{NOTICE}\n\n{notes}".rstrip())
    if "character_book" in data:
        data |= _book(data.pop("character_book"))
    return write_as(card, V2, "2.0", data)


def _book(book: Member) -> dict[str, Member]:
    try:
        inner = read_object(book.raw)
        if "entries" in inner:
            entries = [_entry(each) for each in read_array(inner["entries"].raw)]
            inner["entries"] = raw_member("entries", f"[{','.join(entries)}]")
        return {"character_book": raw_member("character_book", write(inner))}
    except CardError:
        return {"character_book": book}


def _entry(raw: str) -> str:
    entry = read_object(raw)
    content = entry["content"].value if "content" in entry else None
    if isinstance(content, str) and (plain := without_decorators(content)) != content:
        entry["content"] = member("content", plain)
    return write(entry)
