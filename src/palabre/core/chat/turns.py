"""Decide who answers. Pure."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from palabre.core.chat.members import Member
from palabre.core.chat.model import Utterance
from palabre.core.personas.mentions import mentioned
from palabre.core.personas.model import Cast, Persona
from palabre.kernel.ids import ChannelName, Nick

DISPATCHER = Nick("Pharmacius")
"""Answers when no name and no topic says who should (seed 000 §13.3, facts 3.4)."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Turn:
    """One persona is to answer.

    Attributes:
        asked_by: The person whose message led here, over however many hops.
        text: What is to be answered.
        cause: What was said that *text* is or quotes, so that the prompt does not hold it twice;
            None when it was never said in the channel.
        hop: 0 for an answer to a person, then one more for each persona called on in turn.
    """

    persona: Persona
    channel: ChannelName
    asked_by: Member
    text: str
    cause: Utterance | None = None
    hop: int = 0


def choose_responders(text: str, cast: Cast, limit: int) -> list[Persona]:
    """Return who answers *text*, at most *limit*.

    Those named; else those of the first topic that has a word in it; else the dispatcher; else
    the first persona.
    """
    if not cast.personas:
        return []
    chosen = mentioned(text, cast.personas) or _by_topic(text, cast) or _by_default(cast)
    return chosen[: max(1, limit)]


def _by_topic(text: str, cast: Cast) -> list[Persona]:
    if not cast.topics:
        return []
    said = {fold(word) for word in _WORD.findall(text)}
    for rule in cast.topics:
        if said.isdisjoint(_folded(rule.words)):
            continue
        present = {persona.nick: persona for persona in cast.personas}
        if chosen := [present[nick] for nick in rule.nicks if nick in present]:
            return chosen
    return []


@lru_cache(maxsize=64)
def _folded(words: frozenset[str]) -> frozenset[str]:
    return frozenset(map(fold, words))


def _by_default(cast: Cast) -> list[Persona]:
    dispatchers = [persona for persona in cast.personas if persona.nick == DISPATCHER]
    return dispatchers or list(cast.personas[:1])


def fold(word: str) -> str:
    """Return *word* without case and accents."""
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))
