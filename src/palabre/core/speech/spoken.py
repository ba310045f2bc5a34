"""What of a written sentence is said aloud. Pure."""

import re
import unicodedata

_CODE_BLOCK = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\s]*\)")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+")
_LINE_MARK = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+•][ \t]+)", re.MULTILINE)
_STRONG = re.compile(r"\*\*|__|~~")
_STARRED = re.compile(r"\*([^*\n]+)\*")
_SPACES = re.compile(r"\s+")
_WORD = re.compile(r"\w")
_UNSPOKEN_CATEGORIES = frozenset({"So", "Sk", "Cs", "Co", "Cn", "Cc", "Cf"})
_KEPT = frozenset("°€$£%+=&§©®™")
_ENDS = ".!?…:;"


def spoken(written: str) -> str:
    """Return the words of *written*, without marks and stage directions; perhaps nothing.

    Left out: `*stage directions*`, code, addresses, emoji, and the signs of Markdown. Starred
    words inside a sentence are words: `J'ai relu *Solaris* hier`.
    """
    if not _WORD.search(written):
        return ""
    text = _CODE_BLOCK.sub(" ", written)
    text = _ADDRESS.sub(" ", _LINK.sub(r"\1", text))
    text = _STRONG.sub("", _LINE_MARK.sub("", text))
    text = _without_directions(text).replace("`", "").replace("*", "").replace("_", " ")
    text = _SPACES.sub(" ", "".join(map(_said, text))).strip()
    return text if _WORD.search(text) else ""


def _without_directions(text: str) -> str:
    return _STARRED.sub(lambda match: " " if _is_direction(match) else match[1], text)


def _is_direction(match: re.Match[str]) -> bool:
    """Say whether starred words tell what is done, not what is said.

    They stand by themselves: between sentences, at the beginning or at the end.
    """
    words = match[1].strip()
    before = match.string[: match.start()].rstrip(" \t\"«»'’\u00a0\u202f")
    after = match.string[match.end() :].lstrip()
    if before and before[-1] not in _ENDS + "\n":
        return False
    if not after or words[-1:] in _ENDS:
        return True
    return words[:1].islower() or not after[0].islower()


def _said(char: str) -> str:
    if char in _KEPT or char.isspace():
        return char
    return " " if unicodedata.category(char) in _UNSPOKEN_CATEGORIES else char
