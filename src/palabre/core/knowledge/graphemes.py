"""Where a text may be cut without tearing what people see as one character. Pure."""

import unicodedata

_JOINER = "\u200d"
_INDICATORS = range(0x1F1E6, 0x1F200)
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_VOWELS_AND_TAILS = range(0x1160, 0x1200)
_LONGEST_FLAG_ROW = 64


def is_border(text: str, at: int) -> bool:
    """Whether *text* may be cut before the character at the offset *at*.

    Follows the rules of Unicode (UAX 29) for marks, joined emoji, flags, Korean and line ends.
    """
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    return not (
        (before == "\r" and after == "\n")
        or _JOINER in {before, after}
        or _extends(after)
        or _is_within_flag(text, at)
    )


def border_before(text: str, start: int, at: int) -> int:
    """Return the last border in `(start, at]`; *at* itself where there is none."""
    border = at
    while border > start and not is_border(text, border):
        border -= 1
    return border if border > start else at


def _extends(character: str) -> bool:
    code = ord(character)
    is_mark = unicodedata.category(character).startswith("M")
    return is_mark or code in _SKIN_TONES or code in _VOWELS_AND_TAILS


def _is_within_flag(text: str, at: int) -> bool:
    if ord(text[at]) not in _INDICATORS:
        return False
    row = 0
    while row < min(at, _LONGEST_FLAG_ROW) and ord(text[at - row - 1]) in _INDICATORS:
        row += 1
    return row % 2 == 1
