"""Lay what editors want over what the files say. Pure."""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from palabre.core.editorial.model import DeskPersona, Origin, PersonaEdit
from palabre.core.editorial.names import nick_of
from palabre.core.personas.errors import Problem
from palabre.core.personas.model import Cast, Persona
from palabre.kernel.ids import Nick, PersonaId
from palabre.kernel.lookalikes import nick_keys
from palabre.kernel.text import Text, text

PALETTE = (
    *("#4fc3f7", "#ef5350", "#ab47bc", "#66bb6a", "#ffd54f", "#ff69b4", "#42a5f5", "#ff7043"),
    *("#e040fb", "#26c6da", "#ffab40", "#69f0ae", "#f48fb1", "#7986cb", "#aed581"),
)
"""Colours of personas that were given none, by their ids (facts of seed 000, 3.3)."""

SMALL_DIRECTION_CHARS = 400
"""Characters of an editor's direction that a small model is told."""

InHouseWords = Callable[[Text], str]
"""Says a text in the language of the house."""


@dataclass(frozen=True, slots=True)
class Desk:
    """All personas as editors see them, and those who speak.

    Attributes:
        personas: In the order of their introduction; orphans last.
        cast: Those who speak.
    """

    personas: tuple[DeskPersona, ...]
    cast: Cast


def laid_over(
    written: Cast, edits: Sequence[PersonaEdit], *, in_house_words: InHouseWords, model: str
) -> Desk:
    """Return the personas of the files as *edits* want them, and those that editors made.

    A name that another has by now is not given: a file's persona keeps its own, one that an
    editor made is left out of the cast. `Cast.problems` says so.

    Args:
        written: What the files say.
        edits: Those made first first.
        in_house_words: For what is told to models.
        model: What orphans wish for.
    """
    by_id = {edit.persona_id: edit for edit in edits if not edit.deleted}
    desk = _Seats(in_house_words)
    for persona in written.personas:
        desk.seat_written(persona, by_id.pop(persona.id, None), written)
    for edit in by_id.values():
        desk.seat_other(edit, model)
    return Desk(tuple(desk.personas), _cast(written, desk))


class _Seats:
    """Gives each persona its place, and no name twice."""

    def __init__(self, in_house_words: InHouseWords) -> None:
        self.personas: list[DeskPersona] = []
        self.problems: list[Problem] = []
        self.shadowed: set[PersonaId] = set()
        self._words = in_house_words
        self._keys: set[str] = set()

    def seat_written(self, persona: Persona, edit: PersonaEdit | None, written: Cast) -> None:
        if edit is None:
            self._seat(_of_file(persona.nick, persona, persona.nick))
            return
        name = persona.nick if edit.name is None else edit.name
        others = {key for each in written.personas if each is not persona for key in _keys(each)}
        if nick_keys(nick_of(name)) & (self._keys | others):
            self._report(edit, name)
            name = persona.nick
        edited = _edited(persona, edit, name, self._words)
        self._seat(_of_file(name, edited, persona.nick, edit))

    def seat_other(self, edit: PersonaEdit, model: str) -> None:
        name = edit.name or edit.persona_id
        made = _made(edit, name, model, self._words)
        origin: Origin = "created" if edit.created else "orphan"
        if nick_keys(made.nick) & self._keys:
            self._report(edit, name)
            self.shadowed.add(edit.persona_id)
        speaks = edit.enabled is not False
        self._seat(DeskPersona(name, made, origin, enabled=speaks, edited=True))

    def _seat(self, persona: DeskPersona) -> None:
        self._keys |= nick_keys(persona.persona.nick)
        self.personas.append(persona)

    def _report(self, edit: PersonaEdit, name: str) -> None:
        data = {"nick": name, "other": name}
        self.problems.append(Problem(f"editorial:{edit.persona_id}", "same_nick", data))


def _of_file(
    name: str, persona: Persona, file_nick: Nick, edit: PersonaEdit | None = None
) -> DeskPersona:
    speaks = edit is None or edit.enabled is not False
    return DeskPersona(
        name, persona, "shipped", enabled=speaks, edited=edit is not None, file_nick=file_nick
    )


def _cast(written: Cast, desk: _Seats) -> Cast:
    speak = tuple(
        each.persona
        for each in desk.personas
        if each.enabled and each.origin != "orphan" and each.id not in desk.shadowed
    )
    now = {each.id: each.persona.nick for each in desk.personas}
    renamed = {each.nick: now[each.id] for each in written.personas}

    def named(nick: Nick) -> Nick:
        return renamed.get(nick, nick)

    return Cast(
        speak,
        tuple(replace(rule, nicks=tuple(map(named, rule.nicks))) for rule in written.topics),
        named(written.dispatcher) if written.dispatcher else None,
        (*written.problems, *desk.problems),
    )


def _edited(persona: Persona, edit: PersonaEdit, name: str, words: InHouseWords) -> Persona:
    prompt = edit.prompt or persona.prompt
    short = "" if edit.prompt else persona.short_prompt
    summary = persona.summary if edit.summary is None else edit.summary
    if edit.summary:
        prompt = _directed(prompt, edit.summary, words)
        short = short and _directed(short, edit.summary[:SMALL_DIRECTION_CHARS], words)
    return replace(
        persona,
        nick=persona.nick if name == persona.nick else nick_of(name),
        model=edit.model or persona.model,
        summary=summary,
        prompt=prompt,
        short_prompt=short,
        color=edit.color or persona.color,
        voice=persona.voice if edit.voice is None else edit.voice,
        max_tokens=persona.max_tokens if edit.max_tokens is None else edit.max_tokens or None,
    )


def _directed(prompt: str, summary: str, words: InHouseWords) -> str:
    return f"{prompt}\n\n{words(text('editorial.prompt.direction', summary=summary))}"


def _made(edit: PersonaEdit, name: str, model: str, words: InHouseWords) -> Persona:
    summary = edit.summary or ""
    prompt = words(text("editorial.prompt.created", name=name, summary=summary)).strip()
    if edit.prompt:
        prompt = _directed(edit.prompt, summary, words) if summary else edit.prompt
    return Persona(
        id=edit.persona_id,
        nick=nick_of(name),
        color=edit.color or color_of(edit.persona_id),
        model=edit.model or model,
        summary=summary,
        prompt=prompt,
        voice=edit.voice or "",
        max_tokens=edit.max_tokens or None,
    )


def color_of(persona_id: PersonaId) -> str:
    """Return the colour of a persona that was given none."""
    return PALETTE[zlib.crc32(persona_id.encode()) % len(PALETTE)]


def _keys(persona: Persona) -> frozenset[str]:
    return nick_keys(persona.nick)
