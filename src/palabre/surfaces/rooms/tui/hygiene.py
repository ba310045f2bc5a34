"""Make text from the network harmless for a terminal."""

import re

MAX_CHARACTERS = 200_000
"""Longer texts are cut; `/export` sends up to 100 000 characters."""

MAX_NICK = 32

_ESCAPE_SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]?"  # CSI, as colours and cursor moves
    r"|\x9b[0-?]*[ -/]*[@-~]?"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]{0,4096}(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS
    r"|\x1b[ -/]*[0-~]?"
)
_NEWLINE = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# Controls, invisible characters and bidi overrides. The joiners U+200C and U+200D stay: Persian
# and emoji need them.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_MARKS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_PILED_MARKS = re.compile(f"([{_MARKS}]{{3}})[{_MARKS}]+")


def clean(text: str) -> str:
    """Return *text* without escape sequences, controls, bidi overrides and piled-up accents.

    Newlines stay, in their Unix form; a tab becomes four blanks; what exceeds MAX_CHARACTERS
    becomes an ellipsis.
    """
    if len(text) > MAX_CHARACTERS:
        text = text[:MAX_CHARACTERS] + "…"
    text = _ESCAPE_SEQUENCE.sub("", text)
    text = _NEWLINE.sub("\n", text).replace("\t", "    ")
    text = _INVISIBLE.sub("", text)
    return _PILED_MARKS.sub(r"\1", replace_surrogates(text))


def clean_nick(nick: str) -> str:
    """Return *nick* cleaned, on one line and short enough for a column."""
    flat = " ".join(clean(nick[: MAX_NICK * 4]).split())
    return flat if len(flat) <= MAX_NICK else flat[: MAX_NICK - 1] + "…"


def replace_surrogates(text: str) -> str:
    """Return *text* without lone surrogates, which UTF-8 cannot carry."""
    return _SURROGATE.sub("\ufffd", text)
