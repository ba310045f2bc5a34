"""Names in the words of a character card, put in when a prompt is made. Pure.

Sources: Character Card V1, "Fields"; V3, "Curly Braced Syntaxes".
"""

import re
import zlib
from collections.abc import Sequence
from dataclasses import replace

from palabre.core.personas.model import Example, Persona

ANYBODY = "la personne qui te parle"
"""Who `{{user}}` is in a room, where many speak: prompts are in the language of the personas."""

_PLACEHOLDER = re.compile(
    r"<(?P<tag>char|bot|user)>|\{\{\s*(?P<name>char|user|original)\s*\}\}"
    r"|\{\{(?P<silent>//|comment:|hidden_key:)[^{}]*\}\}"
    r"|\{\{(?P<choice>random|pick):{1,2}(?P<options>[^{}]*)\}\}"
    r"|\{\{roll:{1,2}d?(?P<sides>[0-9]{1,6})\}\}",
    re.IGNORECASE,
)
_COMMA = re.compile(r"(?<!\\),")


def filled(text: str, *, char: str, user: str = ANYBODY, original: str = "") -> str:
    """Return *text* with names in the place of placeholders, in any case.

    What the specification leaves to chance is settled by the words themselves, so that a prompt
    is the same at each answer.

    Args:
        text: Words of a card.
        char: Who speaks them.
        user: Who is spoken to.
        original: What the program itself would tell a model in the place of `text`.
    """
    if "{{" not in text and "<" not in text:
        return text
    names = {"char": char, "bot": char, "user": user, "original": original}

    def value(match: re.Match[str]) -> str:
        name = match["tag"] or match["name"]
        return names[name.lower()] if name else _settled(match, text)

    return _PLACEHOLDER.sub(value, text)


def as_spoken(persona: Persona) -> Persona:
    """Return *persona* with the names put into all that a model is told of it."""
    return replace(
        persona,
        prompt=filled(persona.prompt, char=persona.nick),
        short_prompt=filled(persona.short_prompt, char=persona.nick),
        examples=tuple(
            Example(
                filled(each.question, char=persona.nick), filled(each.answer, char=persona.nick)
            )
            for each in persona.examples
        ),
    )


def _settled(match: re.Match[str], text: str) -> str:
    number = zlib.crc32(f"{match.start()} {text}".encode(errors="replace"))
    if match["choice"]:
        options: Sequence[str] = _COMMA.split(match["options"])
        return options[number % len(options)].replace("\\,", ",").strip()
    if match["sides"]:
        return str(number % max(1, int(match["sides"])) + 1)
    return ""
