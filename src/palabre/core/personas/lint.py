"""Advice on personas: what works, but would be better otherwise."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from palabre.core.personas.mentions import mentions
from palabre.core.personas.model import Cast, Persona
from palabre.kernel.text import Text

PROMPT_WORDS_MIN = 100
PROMPT_WORDS_MAX = 200
ANSWER_WORDS_MAX = 60
COLOR_DISTANCE_MIN = 20.0

_OUT_OF_CHARACTER = re.compile(
    r"\ben tant qu(?:'|e )(?:une? )?(?:assistante?|ia|intelligence artificielle|mod[eè]le)\b"
    r"|\bje (?:ne )?suis (?:pas )?(?:qu')?(?:une?|votre|ton) "
    r"(?:assistante?|ia|intelligence artificielle|mod[eè]le|chatbot|programme)\b"
    r"|\bmod[eè]les? de langage\b|\blanguage model\b"
    r"|\bas an? (?:ai|assistant)\b|\bi(?:'m| am) (?:just )?an? (?:ai|assistant|chatbot)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Advice:
    """One remark on a persona.

    Attributes:
        code: Key of the text below `persona.advice.`.
        data: Values for the text's placeholders.
    """

    code: str
    data: Mapping[str, str | int] = field(default_factory=dict)

    @property
    def text(self) -> Text:
        """What to tell the writer of the persona."""
        return Text(f"persona.advice.{self.code}", self.data)


def advise(persona: Persona, cast: Cast) -> tuple[Advice, ...]:
    """Return all advice on *persona*, which speaks in the company of *cast*."""
    return tuple(chain(_on_prompt(persona), _on_examples(persona), _on_mentions(persona, cast)))


def advise_newcomer(persona: Persona, cast: Cast) -> tuple[Advice, ...]:
    """Return all advice on a *persona* that is about to join *cast*.

    Its colour is compared with the others' too; among those already there it is settled.
    """
    return (*advise(persona, cast), *_on_color(persona, cast))


def breaks_character(answer: str) -> bool:
    """Say whether *answer* is that of an assistant, not of somebody."""
    return _OUT_OF_CHARACTER.search(answer.replace("’", "'")) is not None


def color_distance(one: str, other: str) -> float:
    """Return how far two colours `#rrggbb` are: 0 for the same, 441 for black and white."""
    return math.dist(bytes.fromhex(one[1:]), bytes.fromhex(other[1:]))


def _on_prompt(persona: Persona) -> Iterator[Advice]:
    words = len(persona.prompt.split())
    if not PROMPT_WORDS_MIN <= words <= PROMPT_WORDS_MAX:
        limits = {"least": PROMPT_WORDS_MIN, "most": PROMPT_WORDS_MAX}
        yield Advice("prompt_words", {"words": words, **limits})
    if not persona.summary:
        yield Advice("no_summary")
    if not persona.short_prompt:
        yield Advice("no_short_prompt")


def _on_examples(persona: Persona) -> Iterator[Advice]:
    if not persona.examples:
        yield Advice("no_examples")
    for number, example in enumerate(persona.examples, start=1):
        if breaks_character(example.answer):
            yield Advice("out_of_character", {"number": number})
        words = len(example.answer.split())
        if words > ANSWER_WORDS_MAX:
            data = {"number": number, "words": words, "most": ANSWER_WORDS_MAX}
            yield Advice("long_answer", data)


def _on_mentions(persona: Persona, cast: Cast) -> Iterator[Advice]:
    company = [persona, *(other for other in cast.personas if other.id != persona.id)]
    texts = [persona.prompt, persona.short_prompt, *(e.answer for e in persona.examples)]
    for nick, named in dict.fromkeys(mentions("\n".join(texts), company)):
        if named is None:
            yield Advice("unknown_mention", {"nick": nick})
        elif named.id == persona.id:
            yield Advice("mentions_itself")


def _on_color(persona: Persona, cast: Cast) -> Iterator[Advice]:
    for other in cast.personas:
        near = color_distance(persona.color, other.color) < COLOR_DISTANCE_MIN
        if near and other.id != persona.id:
            yield Advice("similar_color", {"nick": other.nick, "color": other.color})
