"""Names of people and personas: which are allowed, and which look like one another."""

import re
import unicodedata

from palabre.kernel.ids import Nick

MAX_NICK = 24
MIN_CHOSEN_NICK = 2

MAX_RAW_NICK = 4 * MAX_NICK
"""Characters of a nick before its accents are joined to their letters.

A letter of a name takes two at the most. To join and to order accents costs the square of how
many meet, so nothing longer is looked at.
"""

NICK_LETTER = r"[a-zA-Z0-9_\-À-ÿ]"
"""One letter of a name, as a regular expression (seed 000 §5.1)."""

_NICK = re.compile(NICK_LETTER + f"{{1,{MAX_NICK}}}")


def is_nick(words: str) -> bool:
    """Say whether somebody can be called *words*: 1 to 24 letters of the alphabet of names."""
    return _NICK.fullmatch(words) is not None


def wished_nick(query: str | None) -> Nick | None:
    """Return the nick that `?nick=` asks for, or None if it is absent or invalid.

    Trimmed, then cut to 24 characters, then checked (seed 000 §5.1).
    """
    cut = unicodedata.normalize("NFC", (query or "").strip()[:MAX_RAW_NICK]).strip()[:MAX_NICK]
    return Nick(cut) if is_nick(cut) else None


def chosen_nick(words: str) -> Nick | None:
    """Return the nick that `/nick` asks for, or None: 2 to 24 characters of the same alphabet."""
    if len(words) > MAX_RAW_NICK:
        return None
    nick = unicodedata.normalize("NFC", words)
    return Nick(nick) if len(nick) >= MIN_CHOSEN_NICK and is_nick(nick) else None
