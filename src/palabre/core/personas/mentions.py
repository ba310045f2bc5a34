"""Find which personas a text speaks to. Pure."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from palabre.core.personas.model import Persona
from palabre.kernel.ids import Nick

# Every alternative starts with a fixed text: no input makes the search more than linear.
_NOT_SPEECH = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|(?:https?|ftp)://\S+|\bwww\.\S+", re.DOTALL | re.IGNORECASE
)
_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)


def mentioned(text: str, personas: Sequence[Persona]) -> list[Persona]:
    """Return the personas that *text* names as `@Nick`, in the order of their first mention.

    A name ends at a word border, in any case; the longest wins. E-mail addresses, links and
    code name nobody.
    """
    if "@" not in text or not personas:
        return []
    speech = _NOT_SPEECH.sub(" ", unicodedata.normalize("NFC", text))
    by_length = _longest_first(personas)
    found = _pattern(tuple(persona.nick for persona in by_length)).finditer(speech)
    return list(dict.fromkeys(by_length[(match.lastindex or 1) - 1] for match in found))


def next_speaker(answer: str, speaker: Persona, personas: Sequence[Persona]) -> Persona | None:
    """Return whom *speaker*'s answer calls on: the first it names, itself and quotes left out."""
    called = mentioned(_QUOTED_LINE.sub("", answer), personas)
    return next((persona for persona in called if persona.id != speaker.id), None)


def _longest_first(personas: Sequence[Persona]) -> list[Persona]:
    return sorted(personas, key=lambda persona: len(persona.nick), reverse=True)


@lru_cache(maxsize=8)
def _pattern(nicks: tuple[Nick, ...]) -> re.Pattern[str]:
    """Return what finds *nicks*; the number of the group that matches says which.

    The text that matches does not: `ı` matches `i` and yet is another letter when folded.
    """
    names = "|".join(f"({re.escape(nick)})" for nick in nicks)
    return re.compile(rf"(?<![\w.@/+-])@(?:{names})(?!\w)", re.IGNORECASE)
