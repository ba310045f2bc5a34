"""Cards as they are on the wire, characters as the core knows them."""

from dataclasses import asdict

from palabre.core.personas.cards import (
    Character,
    OwnData,
    changed_words,
    new_words,
    own_data,
)
from palabre.core.personas.model import Persona
from palabre.kernel.text import Text, text
from palabre.wire.cards.document import CardDocument
from palabre.wire.cards.members import Members, whole


def to_character(card: CardDocument) -> Character:
    """Return whom *card* describes.

    Rooms are groups: the greetings for groups come before the others (V3).
    """
    said = card.fields
    name = said.nickname.strip() or said.name
    return Character(
        name=name,
        names=tuple(dict.fromkeys(each for each in (said.name, said.nickname) if each.strip())),
        instructions=said.system_prompt,
        description=said.description,
        personality=said.personality,
        scenario=said.scenario,
        reminder=said.post_history_instructions,
        dialogue=said.mes_example,
        greetings=(*said.group_only_greetings, said.first_mes, *said.alternate_greetings),
        notes=said.creator_notes,
        lore=tuple(each.content for each in said.lore if each.is_enabled and each.is_constant),
        own=_own_data(card.own),
    )


def to_card(persona: Persona, kept: CardDocument | None, now_s: int) -> CardDocument:
    """Return the card of *persona*.

    Args:
        persona: Who it is.
        kept: The card that it came in; None for one that came in none.
        now_s: Seconds since 1970, UTC.
    """
    known = kept.own if kept else {}
    said = asdict(own_data(persona))
    own = {key: value for key, value in said.items() if value or key in known}
    if kept is None:
        dates = {"creation_date": now_s, "modification_date": now_s}
        return CardDocument().changed({**new_words(persona), **dates}, own)
    words = changed_words(persona, to_character(kept))
    return kept.changed({**words, "modification_date": now_s}, own)


def remarks_on(card: CardDocument) -> tuple[Text, ...]:
    """Tell what of *card* is kept and yet has no effect."""
    said = card.fields
    remarks = []
    if card.is_newer:
        remarks.append(text("card.remark.newer"))
    if said.lore_is_null:
        remarks.append(text("card.remark.null_book"))
    if asleep := sum(each.is_enabled and not each.is_constant for each in said.lore):
        remarks.append(text("card.remark.lore_asleep", count=asleep))
    if any((said.first_mes, *said.alternate_greetings, *said.group_only_greetings)):
        remarks.append(text("card.remark.greetings"))
    return tuple(remarks)


def _own_data(own: Members) -> OwnData:
    tools = own["tools"].value if "tools" in own else None
    tokens = own["max_tokens"].value if "max_tokens" in own else None
    return OwnData(
        nick=_words(own, "nick"),
        color=_words(own, "color"),
        model=_words(own, "model"),
        summary=_words(own, "summary"),
        short_prompt=_words(own, "short_prompt"),
        voice=_words(own, "voice"),
        tools=tuple(whole(each) for each in tools if isinstance(each, str))
        if isinstance(tools, list)
        else (),
        max_tokens=int(min(max(tokens, 1), 1_000_000)) if isinstance(tokens, float) else None,
    )


def _words(own: Members, key: str) -> str:
    value = own[key].value if key in own else None
    return whole(value) if isinstance(value, str) else ""
