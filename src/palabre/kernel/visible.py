"""What people can see of a text. Pure."""

import unicodedata

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Categories of Unicode: controls, formats, surrogates, private use, ends of lines."""

_LOOKED_AT = 8
"""Times the characters wanted that are looked at: the others may be unseen."""


def is_visible(char: str) -> bool:
    """Say whether *char* is seen, or is a space."""
    return unicodedata.category(char) not in _UNSEEN


def one_line(words: object, max_chars: int) -> str:
    """Return what can be seen of *words* on one line; nothing if they are no text.

    What is longer than *max_chars* is cut, at a word's end unless that would lose half of it.
    """
    if not isinstance(words, str):
        return ""
    looked_at = words[: _LOOKED_AT * max_chars]
    line = " ".join("".join(char if is_visible(char) else " " for char in looked_at).split())
    if len(line) <= max_chars:
        return line
    cut = line[: max_chars - 1]
    end = cut.rfind(" ")
    return f"{cut[:end] if end > len(cut) // 2 else cut}…"
