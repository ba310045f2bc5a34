"""Words as they are compared when what was said is searched."""

import re
import unicodedata

SHORTEST = 2
"""Signs that are needed to search."""

GRAM = 3
SIDE = 2
MOST_GRAMS = 6
"""Pieces of what is searched that an index is asked for; the words themselves decide then."""

MAX_CHANNEL_CHARS = 100
"""Of a channel's name, in the index."""

COMMON_SIGNS = " eaisntrloudcmp"
"""In French and English, the most common first."""

BORDER = "\n"
"""Between nick and text; no search holds it."""

_MARKS = re.compile("[\u0300-\u036f]")
_BLANK = re.compile(" ")
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f]+")


def folded(words: str) -> str:
    """Return *words* without case, accents, and widths; each run of blanks is one."""
    if words.isascii():
        return _BLANKS.sub(" ", words.lower())
    bare = _MARKS.sub("", unicodedata.normalize("NFKD", words)).casefold()
    return _BLANKS.sub(" ", unicodedata.normalize("NFKC", bare))


def folded_line(nick: str, text: str) -> str:
    """Return what is searched of one line."""
    return f"{folded(nick)}{BORDER}{folded(text)}"


def channel_piece(channel: str) -> str:
    """Return the piece that all lines of *channel* have, and no words."""
    return 2 * BORDER + channel[:MAX_CHANNEL_CHARS]


def grams(line: str, channel: str) -> set[str]:
    """Return the pieces by which a folded line is found: two signs, three, seams, its channel.

    A seam is where two words meet: a blank with two signs on either side. Words that many lines
    hold meet in few.
    """
    pairs = {line[at : at + 2] for at in range(len(line) - 1)}
    triples = {line[at : at + GRAM] for at in range(len(line) - GRAM + 1)}
    return {channel_piece(channel)} | pairs | triples | _seams(line)


def _seams(line: str) -> set[str]:
    places = (found.start() for found in _BLANK.finditer(line, SIDE, max(SIDE, len(line) - SIDE)))
    return {line[at - SIDE : at + SIDE + 1] for at in places}


def asked_grams(words: str, channel: str | None = None) -> list[str]:
    """Return pieces that every line of *channel* has that holds the folded *words*.

    Of those of the words the ones that look rare.
    """
    inside = [] if channel is None else [channel_piece(channel)]
    return [*_rare_grams(words), *inside]


def _rare_grams(words: str) -> list[str]:
    if len(words) < GRAM:
        return [words]
    pieces = {words[at : at + GRAM] for at in range(len(words) - GRAM + 1)} | _seams(words)
    return sorted(pieces, key=lambda piece: (-len(piece), _commonness(piece), piece))[:MOST_GRAMS]


def _commonness(piece: str) -> int:
    return sum(len(COMMON_SIGNS) - COMMON_SIGNS.index(s) for s in piece if s in COMMON_SIGNS)
