"""Cut a text into chunks on natural borders. Pure.

Paragraphs are put together as long as they fit. One that is too long is cut between sentences, a
sentence between words, a word between characters.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from palabre.core.knowledge.graphemes import border_before
from palabre.core.knowledge.model import Chunk, SourceText

_PARAGRAPH = re.compile(r"\n[^\S\n]*(?=\n)\s*|\f\s*")
_LINE = re.compile(r"\n\s*")
_SENTENCE = re.compile(r"(?<=[.!?…])[\"»”’')\]]*\s+(?=[^\s\da-zà-ÿ])|(?<=;)\s+")
_WORD = re.compile(r"\s+")
_BORDERS = (_PARAGRAPH, _LINE, _SENTENCE, _WORD)

Span = tuple[int, int]


def cut(text: SourceText, max_chars: int) -> list[Chunk]:
    """Return the chunks of *text* in its order, each at most *max_chars* characters long.

    Each is a substring of the text; only white space lies between them.
    """
    words = text.text
    spans = _pieces(words, (0, len(words)), max_chars, _BORDERS)
    return [Chunk(start, words[start:end], _page(text.page_starts, start)) for start, end in spans]


def sentences(text: str) -> list[str]:
    """Return the sentences of *text*; headings and list items count as such."""
    spans = [
        span
        for line in _split(text, (0, len(text)), _LINE)
        for span in _split(text, line, _SENTENCE)
    ]
    return [text[start:end] for start, end in spans]


def _pieces(
    text: str, span: Span, max_chars: int, borders: Sequence[re.Pattern[str]]
) -> Iterator[Span]:
    """Yield pieces of *span* that fit, put together again where neighbours fit as one."""
    start, end = _stripped(text, span)
    if end - start <= max_chars:
        yield from ((start, end),) if end > start else ()
        return
    if not borders:
        yield from _torn(text, (start, end), max_chars)
        return
    yield from _joined(_split(text, (start, end), borders[0]), text, max_chars, borders[1:])


def _joined(
    parts: Iterator[Span], text: str, max_chars: int, finer: Sequence[re.Pattern[str]]
) -> Iterator[Span]:
    held: Span | None = None
    for start, end in parts:
        if held is not None and end - held[0] <= max_chars:
            held = (held[0], end)
            continue
        if held is not None:
            yield held
        held = None
        if end - start <= max_chars:
            held = (start, end)
        else:
            yield from _pieces(text, (start, end), max_chars, finer)
    if held is not None:
        yield held


def _split(text: str, span: Span, border: re.Pattern[str]) -> Iterator[Span]:
    """Yield what lies between the borders, without the white space around it."""
    start = span[0]
    for found in border.finditer(text, *span):
        yield from _unless_empty(_stripped(text, (start, found.end())))
        start = found.end()
    yield from _unless_empty(_stripped(text, (start, span[1])))


def _torn(text: str, span: Span, max_chars: int) -> Iterator[Span]:
    start, end = span
    while end - start > max_chars:
        border = border_before(text, start, start + max_chars)
        yield start, border
        start = border
    yield start, end


def _unless_empty(span: Span) -> Iterator[Span]:
    if span[1] > span[0]:
        yield span


def _stripped(text: str, span: Span) -> Span:
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _page(page_starts: Sequence[int], offset: int) -> int | None:
    return max(bisect_right(page_starts, offset), 1) if page_starts else None
