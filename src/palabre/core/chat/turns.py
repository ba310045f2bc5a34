"""Decide who answers. Pure."""

import re
from dataclasses import dataclass
from itertools import islice

from palabre.core.chat.members import Member
from palabre.core.chat.model import Utterance
from palabre.core.personas.mentions import mentioned
from palabre.core.personas.model import Cast, Persona
from palabre.core.personas.words import folded
from palabre.kernel.ids import ChannelName

_WORD = re.compile(r"\w+")

MAX_TOPIC_WORD = 64
"""Characters of a word that may belong to a topic."""

MAX_TOPIC_WORDS = 2000
"""Words of a message that are looked at for its topic."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One persona is to answer.

    Attributes:
        asked_by: The person whose message led here, over however many hops.
        text: What is to be answered.
        cause: What was said that *text* is or quotes, so that the prompt does not hold it twice;
            None when it was never said in the channel.
        about: What documents are searched for; empty stands for *text*.
        plainly: *text* in the fewest words, for models too small for it; empty stands for *text*.
        hop: 0 for an answer to a person, then one more for each persona called on in turn.
        asked: What a person said that led here, over however many hops; empty stands for what
            *cause* says, or else *text*.
        is_tainted: Whether words from outside led here: no tool is used because of them.
    """

    persona: Persona
    channel: ChannelName
    asked_by: Member
    text: str
    cause: Utterance | None = None
    hop: int = 0
    about: str = ""
    plainly: str = ""
    is_tainted: bool = False
    asked: str = ""

    @property
    def question(self) -> str:
        """What documents are searched for: the words that somebody chose, not what is around."""
        return self.about or self.text

    @property
    def origin(self) -> str:
        """What a person said that led here."""
        return self.asked or (self.cause.text if self.cause else self.text)


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
    said = _words(text)
    for rule in cast.topics:
        if said.isdisjoint(rule.words):
            continue
        present = {persona.nick: persona for persona in cast.personas}
        if chosen := [present[nick] for nick in rule.nicks if nick in present]:
            return chosen
    return []


def _words(text: str) -> set[str]:
    words = (match[0] for match in islice(_WORD.finditer(text), MAX_TOPIC_WORDS))
    return {folded(word) for word in words if len(word) <= MAX_TOPIC_WORD}


def _by_default(cast: Cast) -> list[Persona]:
    dispatcher = cast.named(cast.dispatcher) if cast.dispatcher else None
    return [dispatcher or cast.personas[0]]
