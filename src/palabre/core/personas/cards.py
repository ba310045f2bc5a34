"""A character of a card as a persona, and back. Pure.

Placeholders such as `{{char}}` stay as they are: `placeholders` fills them for a prompt.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from palabre.core.personas.card_names import clean, one_line
from palabre.core.personas.limits import (
    MAX_EXAMPLES,
    MAX_NAME,
    MAX_PROMPT,
    MAX_SHORT_PROMPT,
    MAX_SPEECH,
    MAX_SUMMARY,
    MAX_TOKENS,
)
from palabre.core.personas.model import Example, Persona
from palabre.kernel.text import Text, text

DEFAULT_COLOR = "#90a4ae"
GREETING = "Bonjour !"
"""What a greeting answers, where a card has no better example."""

MAX_DIALOGUE = 100_000
"""Characters of example conversations that are searched for the few that are needed."""

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
_START = re.compile(r"<START>", re.IGNORECASE)
_USER = r"\{\{user\}\}|<user>"
_CHAR = r"\{\{char\}\}|<bot>|<char>"


@dataclass(frozen=True, slots=True)
class OwnData:
    """What only Palabre knows of a persona, in a card's extensions; empty means unsaid."""

    nick: str = ""
    color: str = ""
    model: str = ""
    summary: str = ""
    short_prompt: str = ""
    voice: str = ""
    tools: tuple[str, ...] = ()
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Character:
    """What a card says of a character, as far as a persona can use it.

    Attributes:
        name: What it is called: the nickname before the name.
        names: All that its lines may begin with in `dialogue`.
        instructions: What the card wants to be the system prompt.
        description: Who it is.
        personality: The same in short.
        scenario: Where it is.
        reminder: Instructions for the end of the prompt.
        dialogue: Example conversations, `<START>` before each.
        greetings: First words, the ones for groups first.
        notes: For people, not for models.
        lore: What is always told of its world.
        own: What we said of it when it was written.
    """

    name: str = ""
    names: tuple[str, ...] = ()
    instructions: str = ""
    description: str = ""
    personality: str = ""
    scenario: str = ""
    reminder: str = ""
    dialogue: str = ""
    greetings: tuple[str, ...] = ()
    notes: str = ""
    lore: tuple[str, ...] = ()
    own: OwnData = OwnData()


@dataclass(frozen=True, slots=True)
class Draft:
    """A persona without a name, as a card describes it; *remarks* tell what was left out."""

    color: str
    model: str
    summary: str
    prompt: str
    short_prompt: str
    examples: tuple[Example, ...]
    voice: str
    max_tokens: int | None
    remarks: tuple[Text, ...] = ()


def drafted(character: Character, *, model: str) -> Draft:
    """Return what *character* says of a persona, fitted to the limits of persona files.

    Tools are not taken over: what a stranger's card may use is for the owner to say.

    Args:
        character: Who it is.
        model: The model that it wishes for if the card names none.
    """
    own = character.own
    prompt, remarks = _prompt(character)
    examples = tuple(_examples(character))[:MAX_EXAMPLES]
    if own.tools:
        tools = ", ".join(each[:MAX_NAME] for each in own.tools)[:MAX_SPEECH]
        remarks.append(text("card.remark.tools_not_given", tools=one_line(tools)))
    return Draft(
        color=own.color.lower() if _COLOR.fullmatch(own.color) else DEFAULT_COLOR,
        model=one_line(own.model)[:MAX_NAME] or model,
        summary=_summary(character),
        prompt=prompt,
        short_prompt=_short_prompt(character),
        examples=examples,
        voice=one_line(own.voice)[:MAX_NAME],
        max_tokens=_tokens(own.max_tokens),
        remarks=tuple(remarks),
    )


def own_data(persona: Persona) -> OwnData:
    """Return what a card's other fields cannot say of *persona*."""
    return OwnData(
        nick=persona.nick,
        color=persona.color,
        model=persona.model,
        summary=persona.summary,
        short_prompt=persona.short_prompt,
        voice=persona.voice,
        tools=persona.tools,
        max_tokens=persona.max_tokens,
    )


def new_words(persona: Persona) -> Mapping[str, str]:
    """Return the fields of a card for a *persona* that came from none."""
    return {
        "name": persona.nick,
        "description": persona.prompt,
        "creator_notes": persona.summary,
        "mes_example": dialogue(persona.examples),
    }


def changed_words(persona: Persona, character: Character) -> Mapping[str, str]:
    """Return the fields to change in the card of *character*, from which *persona* came.

    What nobody edited since stays as the card's author wrote it.
    """
    before = drafted(character, model=persona.model)
    words: dict[str, str] = {}
    if persona.prompt != before.prompt:
        others = ("personality", "scenario", "system_prompt", "post_history_instructions")
        words |= {"description": persona.prompt, **dict.fromkeys(others, "")}
    if persona.examples != before.examples:
        words["mes_example"] = dialogue(persona.examples)
    return words


def dialogue(examples: Sequence[Example]) -> str:
    """Write *examples* as cards do."""
    return "\n".join(
        f"<START>\n{{{{user}}}}: {each.question}\n{{{{char}}}}: {each.answer}" for each in examples
    )


def _prompt(character: Character) -> tuple[str, list[Text]]:
    """Return the prompt and what was left out of it: of too much, the least needed goes first."""
    who = [character.instructions, character.description, character.personality]
    parts = [*who, character.scenario, *character.lore, character.reminder]
    words = [part for part in map(clean, parts) if part]
    prompt = "\n\n".join(words)
    if not prompt:
        return f"{{{{char}}}}: {one_line(character.notes)[:MAX_SUMMARY]}".strip(), [
            text("card.remark.no_prompt")
        ]
    if len(prompt) <= MAX_PROMPT:
        return prompt, []
    return _shortened(prompt, MAX_PROMPT), [
        text("card.remark.prompt_shortened", found=len(prompt), most=MAX_PROMPT)
    ]


def _shortened(words: str, most: int) -> str:
    """Return the beginning of *words*, cut between two words and outside of placeholders."""
    cut = words[:most]
    if cut.rfind("{{") > cut.rfind("}}"):
        cut = cut[: cut.rfind("{{")]
    end = max(cut.rfind(" "), cut.rfind("\n"))
    return (cut[:end] if end > most // 2 else cut).rstrip() or words[:most].rstrip()


def _short_prompt(character: Character) -> str:
    if character.own.short_prompt:
        return clean(character.own.short_prompt)[:MAX_SHORT_PROMPT]
    short = clean(character.personality)
    return f"{{{{char}}}}: {short}" if 0 < len(short) <= MAX_SHORT_PROMPT - 10 else ""


def _summary(character: Character) -> str:
    lines = (character.own.summary or character.notes).strip().splitlines()
    return one_line(lines[0])[:MAX_SUMMARY] if lines else ""


def _tokens(wished: int | None) -> int | None:
    return min(max(1, wished), MAX_TOKENS) if wished is not None else None


def _examples(character: Character) -> Iterator[Example]:
    found = [
        example
        for talk in _START.split(clean(character.dialogue[:MAX_DIALOGUE]))
        for example in _exchanges(talk, character.names)
    ]
    if found:
        yield from found
        return
    greetings = map(clean, character.greetings)
    if first := next((each for each in greetings if 0 < len(each) <= MAX_SPEECH), ""):
        yield Example(GREETING, first)


def _exchanges(talk: str, names: Sequence[str]) -> Iterator[Example]:
    """Yield each question of *talk* with the answer right after it, if both are short enough."""
    char = "|".join([_CHAR, *(re.escape(name[:MAX_NAME]) for name in names if name.strip())])
    turn = re.compile(rf"^[ \t]*(?:(?P<user>{_USER})|{char})[ \t]*:", re.MULTILINE | re.IGNORECASE)
    marks = list(turn.finditer(talk))
    ends = [*(mark.start() for mark in marks[1:]), len(talk)]
    said = [
        (bool(mark["user"]), talk[mark.end() : end].strip())
        for mark, end in zip(marks, ends, strict=False)
    ]
    for (asks, question), (also_asks, answer) in pairwise(said):
        short = 0 < len(question) <= MAX_SPEECH and 0 < len(answer) <= MAX_SPEECH
        if asks and not also_asks and short:
            yield Example(question, answer)
