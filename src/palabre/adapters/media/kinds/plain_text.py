"""Text in any usual encoding: found by its marks, its bytes, its letters, in this order."""

import codecs
import re
from collections import Counter

from charset_normalizer import from_bytes

from palabre.adapters.media.clip import Clip
from palabre.adapters.media.job import Found, Job
from palabre.core.media.errors import FileUnreadableError

HEAD_BYTES = 65_536
"""Enough to tell which encoding it is."""

_MOST_BYTES_A_CHARACTER = 4

_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
"""Byte order marks; those of UTF-32 first, as they begin like UTF-16's."""

_HAN_PAIR = re.compile(rb"[\xb0-\xf7][\xa1-\xfe]|[\xa1-\xa3][\xa1-\xfe]")
_HIGH = re.compile(rb"[\x80-\xff]")
_HIGH_RUN = re.compile(rb"[\x80-\xff]{3}")
_ALMOST_ALL = 0.97
_OTHERS = ["gb18030", "big5", "shift_jis", "euc_jp", "cp1251", "koi8_r", "cp1250"]
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f]")
_MAX_CONTROLS = 0.005
_WESTERN_HIGH_SHARE = 0.25
"""European text of Latin letters has fewer bytes beyond ASCII than this."""


def read(job: Job) -> Found:
    """Read plain text, CSV, JSON and their like: as they are, never parsed."""
    content = job.contents[0]
    clip = Clip(job.text_bytes)
    head = content[: max(HEAD_BYTES, _MOST_BYTES_A_CHARACTER * job.text_bytes)]
    clip.add(decoded(head, is_whole=len(head) == len(content)))
    clip.is_cut = clip.is_cut or len(head) < len(content)
    return Found(clip.reading())


def decoded(head: bytes, *, is_whole: bool = True) -> str:
    """Return the text of *head*, whose last character may be cut off unless it *is_whole*.

    Raises:
        FileUnreadableError: No usual encoding makes text of it.
    """
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return _checked(_decode(head.removeprefix(mark), encoding, is_whole=is_whole))
    for encoding in _guesses(head[:HEAD_BYTES]):
        words = _decode(head, encoding, is_whole=is_whole)
        if words is not None and not _is_garbage(words):
            return words
    raise FileUnreadableError("file_reason.binary")


def _guesses(head: bytes) -> list[str]:
    """Return the encodings to try, best first."""
    if b"\0" in head:
        return _wide(head)
    return ["utf-8", *_by_letters(head)]


def _wide(head: bytes) -> list[str]:
    """Say which half of UTF-16's pairs is mostly zero: that of Latin letters is."""
    zeros = Counter(place % 2 for place, byte in enumerate(head) if not byte)
    return ["utf-16-le", "utf-16-be"] if zeros[1] > zeros[0] else ["utf-16-be", "utf-16-le"]


def _by_letters(head: bytes) -> list[str]:
    """Return encodings of one or two bytes a letter, by how *head* looks."""
    high = len(_HIGH.findall(head))
    if high < _WESTERN_HIGH_SHARE * len(head) or not _HIGH_RUN.search(head):
        return ["cp1252", "latin-1"]
    if 2 * len(_HAN_PAIR.findall(head)) >= _ALMOST_ALL * high:
        return ["gb18030", "cp1252", "latin-1"]
    best = from_bytes(head, cp_isolation=_OTHERS).best()
    return [*([best.encoding] if best else []), "gb18030", "cp1252", "latin-1"]


def _decode(content: bytes, encoding: str, *, is_whole: bool) -> str | None:
    try:
        return codecs.getincrementaldecoder(encoding)().decode(content, final=is_whole)
    except UnicodeDecodeError:
        return None


def _checked(words: str | None) -> str:
    if words is None or _is_garbage(words):
        raise FileUnreadableError("file_reason.binary")
    return words


def _is_garbage(words: str) -> bool:
    """Whether *words* hold NUL or more control characters than any text does."""
    return "\0" in words or len(_CONTROLS.findall(words)) > _MAX_CONTROLS * len(words)
