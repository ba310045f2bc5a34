"""What of a text an engine gets to say. Pure."""

import re
import unicodedata

from palabre.core.speech.segmenter import MAX_SPOKEN_CHARS

_UNSAYABLE = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Sk"})
_FIRST_PICTOGRAM = "\u2190"
_MARKS_OF_PICTOGRAMS = frozenset({"\ufe0e", "\ufe0f", "\u20e3"})
_SPACES = re.compile(r"\s+")


def sayable(words: str) -> str:
    """Return *words* as one line without what no voice can say; perhaps nothing.

    Pictograms, control characters and half characters are left out; what is longer than
    `MAX_SPOKEN_CHARS` is cut. Signs alone are nothing to say.
    """
    whole = unicodedata.normalize("NFC", words[: 8 * MAX_SPOKEN_CHARS])
    line = _SPACES.sub(" ", "".join(map(_said, whole))).strip()
    said = line[:MAX_SPOKEN_CHARS].strip()
    return said if any(char.isalnum() for char in said) else ""


def _said(char: str) -> str:
    if char.isspace():
        return " "
    category = unicodedata.category(char)
    pictogram = category == "So" and char >= _FIRST_PICTOGRAM
    left_out = pictogram or category in _UNSAYABLE or char in _MARKS_OF_PICTOGRAMS
    return " " if left_out else char
