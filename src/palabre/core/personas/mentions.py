"""Find which personas a text speaks to. Pure."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from palabre.core.personas.model import Persona
from palabre.core.personas.nicks import MAX_RAW_NICK, NICK_LETTER
from palabre.kernel.ids import Nick

# Every alternative starts with a fixed text: no input makes the search more than linear.
_NOT_SPEECH = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|(?:https?|ftp)://\S+|\bwww\.\S+", re.DOTALL | re.IGNORECASE
)
# An accent may stand apart from its letter. What may be a name is short: see `MAX_RAW_NICK`.
_CALL = re.compile(rf"(?<![\w\u0300-\u036f.@/+-])@([^\s@]{{1,{MAX_RAW_NICK}}})")
_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)

MAX_CALLS = 4096
"""Of a text that are looked at: a message of a person has no room for more."""


def mentioned(text: str, personas: Sequence[Persona]) -> list[Persona]:
    """Return the personas that *text* names as `@Nick`, in the order of their first mention.

    A name ends at a word border, in any case; the longest wins. E-mail addresses, links and
    code name nobody.
    """
    found = (persona for _, persona in mentions(text, personas))
    return list(dict.fromkeys(persona for persona in found if persona))


def mentions(text: str, personas: Sequence[Persona]) -> Iterator[tuple[str, Persona | None]]:
    """Yield each `@Name` of *text* as it is written, and whom it names; None for nobody.

    A name longer than any nick is cut. Only the first `MAX_CALLS` are looked at.
    """
    if "@" not in text:
        return
    named = [*_longest_first(personas), None]
    pattern = _pattern(tuple(persona.nick for persona in named if persona))
    for call in islice(_CALL.finditer(_NOT_SPEECH.sub(" ", text)), MAX_CALLS):
        if match := pattern.match(unicodedata.normalize("NFC", call[1])):
            number = match.lastindex or 1
            yield match[number], named[number - 1]


def next_speaker(answer: str, speaker: Persona, personas: Sequence[Persona]) -> Persona | None:
    """Return whom *speaker*'s answer calls on: the first it names, itself and quotes left out."""
    called = mentioned(_QUOTED_LINE.sub("", answer), personas)
    return next((persona for persona in called if persona.id != speaker.id), None)


def _longest_first(personas: Sequence[Persona]) -> list[Persona]:
    return sorted(personas, key=lambda persona: len(persona.nick), reverse=True)


@lru_cache(maxsize=8)
def _pattern(nicks: tuple[Nick, ...]) -> re.Pattern[str]:
    """Return what knows *nicks*, and last whatever else could be a nick.

    The number of the group that matches says which it is. The text that matches does not: `ı`
    matches `i` and yet is another letter when folded.
    """
    known = [re.escape(nick) for nick in nicks]
    names = "|".join(f"({name})" for name in [*known, f"{NICK_LETTER}++"])
    return re.compile(rf"(?:{names})(?!\w)", re.IGNORECASE)
