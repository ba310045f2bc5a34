"""What a card says in the fields that the specifications name."""

from dataclasses import dataclass

from palabre.wire.cards.book import shaped
from palabre.wire.cards.lore import LoreEntry, read_lore
from palabre.wire.cards.members import Members, whole


@dataclass(frozen=True, slots=True)
class CardFields:
    """The fields that we read; absent ones and those of a wrong kind are empty.

    Placeholders such as `{{char}}` are left as they stand.

    Attributes:
        lore: The entries of the card's book, in the order in which they are told.
        lore_is_null: Whether there is a `character_book` that is null.
        extensions: The names of the programs that have put data of theirs in.
    """

    name: str = ""
    nickname: str = ""
    description: str = ""
    personality: str = ""
    scenario: str = ""
    first_mes: str = ""
    mes_example: str = ""
    creator_notes: str = ""
    system_prompt: str = ""
    post_history_instructions: str = ""
    creator: str = ""
    character_version: str = ""
    alternate_greetings: tuple[str, ...] = ()
    group_only_greetings: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    lore: tuple[LoreEntry, ...] = ()
    lore_is_null: bool = False
    extensions: tuple[str, ...] = ()


V1_NAMES = ("name", "description", "personality", "scenario", "first_mes", "mes_example")


def read_fields(data: Members) -> CardFields:
    """Return what *data* says, which is what a card holds below `data`."""
    book = data.get("character_book")
    extensions = data["extensions"].value if "extensions" in data else None
    return CardFields(
        name=_words(data, "name"),
        nickname=_words(data, "nickname"),
        description=_words(data, "description"),
        personality=_words(data, "personality"),
        scenario=_words(data, "scenario"),
        first_mes=_words(data, "first_mes"),
        mes_example=_words(data, "mes_example"),
        creator_notes=_words(data, "creator_notes"),
        system_prompt=_words(data, "system_prompt"),
        post_history_instructions=_words(data, "post_history_instructions"),
        creator=_words(data, "creator"),
        character_version=_words(data, "character_version"),
        alternate_greetings=_list(data, "alternate_greetings"),
        group_only_greetings=_list(data, "group_only_greetings"),
        tags=_list(data, "tags"),
        lore=read_lore(shaped(book).value) if book else (),
        lore_is_null=book is not None and book.value is None,
        extensions=tuple(map(whole, extensions)) if isinstance(extensions, dict) else (),
    )


def _words(data: Members, name: str) -> str:
    value = data[name].value if name in data else None
    if isinstance(value, float):
        return data[name].raw
    return whole(value) if isinstance(value, str) else ""


def _list(data: Members, name: str) -> tuple[str, ...]:
    value = data[name].value if name in data else None
    if not isinstance(value, list):
        return ()
    return tuple(whole(each) for each in value if isinstance(each, str))
