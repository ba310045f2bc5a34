"""Cut a growing answer into sentences as soon as each is finished. Pure."""

import re

from palabre.core.speech.spoken import spoken

MIN_SPOKEN_CHARS = 10
"""Less is not spoken by itself (seed 000 §7): it joins the next sentence."""

MAX_SPOKEN_CHARS = 1000
"""Longest text of one synthesis (seed 000 §7)."""

MAX_WAITING_CHARS = 4 * MAX_SPOKEN_CHARS
"""Of a sentence without end; more is said as it stands."""

_MARK = re.compile(r"[.!?…]+|\n")
_CLOSERS = re.compile(r"[\"'’”»)\]*_]*(?:[ \u00a0\u202f]»)?")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(«'’])(?:MM|Mmes?|Mlles?|Drs?|Prs?|Mgr|Mes?|Stes?|St|Sr|Jr|Mrs?|Ms"
    r"|p|pp|ex|cf|av|apr|env|éd|vol|chap|art|fig|tél|bd|boul|no|max|min|vs|hab|req"
    r"|[A-ZÀ-Þ](?:\.-?[A-ZÀ-Þ])*)\.$"
)
_MAYBE_LAST = re.compile(r"(?:^|[\s(])etc\.$", re.IGNORECASE)
_LIST_NUMBER = re.compile(r"(?:^|\n)\s*\d{1,3}\.$")
_BORDERS = (re.compile(r"[;:]\s"), re.compile(r",\s"), re.compile(r"\s"))
_STAR = re.compile(r"\*(?=\S)|(?<=\S)\*")
_BLANKS = re.compile("[ \t\u00a0\u202f]*")
_MAX_ABBREVIATION_CHARS = 40
_FENCE = "```"


class SentenceSegmenter:
    """Returns what can be said aloud, sentence by sentence, without waiting for the whole.

    Whether a full stop ends a sentence is seen at what follows it: `M. Dupont`, `3.14`,
    `Je... non`, `« Viens ! » dit-elle` are one sentence each. Nothing is lost: what is too short
    to be spoken alone joins the next sentence, and what is too long is cut where one breathes.
    """

    def __init__(self) -> None:
        self._waiting = ""
        self._looked_at = 0
        self._short = ""
        self._spoke = False

    def feed(self, piece: str) -> list[str]:
        """Take *piece*; return the sentences that it finishes."""
        self._waiting = _bounded(self._waiting + piece)
        sentences: list[str] = []
        while (end := self._sentence_end()) is not None:
            sentences += self._finished(self._taken(end))
        if len(self._waiting) > MAX_WAITING_CHARS:
            sentences += self._finished(self._taken(len(self._waiting)))
        return sentences

    def finish(self) -> list[str]:
        """The answer is whole; return what was still held back."""
        rest, self._waiting = self._waiting, ""
        sentences = self._finished(_closed(rest))
        short, self._short = self._short, ""
        return [*sentences, short] if short and (self._spoke or sentences) else sentences

    def _sentence_end(self) -> int | None:
        end, self._looked_at = _sentence_end(self._waiting, self._looked_at)
        return end

    def _taken(self, end: int) -> str:
        taken, self._waiting, self._looked_at = self._waiting[:end], self._waiting[end:], 0
        return taken

    def _finished(self, raw: str) -> list[str]:
        words = spoken(raw)
        if not words:
            return []
        words, self._short = f"{self._short} {words}".strip(), ""
        if len(words) < MIN_SPOKEN_CHARS:
            self._short = words
            return []
        self._spoke = True
        return _breaths(words)


def _bounded(waiting: str) -> str:
    """Forget the inside of a long block of code: nothing of it is spoken."""
    if len(waiting) > MAX_WAITING_CHARS and waiting.lstrip().startswith(_FENCE):
        inside = waiting.lstrip().removeprefix(_FENCE)
        if _FENCE not in inside:
            return _FENCE + inside[-2:]
    return waiting


def _sentence_end(text: str, start: int) -> tuple[int | None, int]:
    """Return where the first sentence of *text* ends, None while that is open.

    And up to where that is sure: what stands before *start* was looked at already.
    """
    open_fence = text.find(_FENCE)
    if open_fence == 0 or (open_fence > 0 and not text[:open_fence].strip()):
        return _fence_end(text, open_fence), 0
    for match in _MARK.finditer(text, start):
        if open_fence != -1 and match.start() > open_fence:
            return open_fence, 0
        if match[0] == "\n":
            return match.end(), 0
        end = _end(_CLOSERS, text, match.end())
        following = _end(_BLANKS, text, end)
        if following == len(text):
            return None, match.start()
        is_apart = following > end or text[following] == "\n"
        if is_apart and _ends_sentence(text[: match.end()], match[0], text[following]):
            return end, 0
    return None, len(text)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _fence_end(text: str, start: int) -> int | None:
    """Return where a block of code ends: it is never spoken."""
    end = text.find(_FENCE, start + len(_FENCE))
    return None if end == -1 else end + len(_FENCE)


def _ends_sentence(before: str, mark: str, following: str) -> bool:
    if following.islower() or _inside_direction(before, following):
        return False
    if mark != ".":
        return True
    last = before[-_MAX_ABBREVIATION_CHARS:]
    if _LIST_NUMBER.search(last):
        return False
    return bool(_MAYBE_LAST.search(last)) or not _ABBREVIATION.search(last)


def _inside_direction(before: str, following: str) -> bool:
    """Say whether *before* ends within `*a stage direction*` that is yet to be closed."""
    if "*" not in before:
        return False
    line = before.rpartition("\n")[2].replace("**", "")
    return len(_STAR.findall(line)) % 2 == 1 and following != "\n"


def _closed(rest: str) -> str:
    """Return *rest* without a block of code that was never closed."""
    return rest.partition(_FENCE)[0] if rest.count(_FENCE) % 2 else rest


def _breaths(words: str) -> list[str]:
    """Return *words* in pieces that can be spoken at once."""
    pieces: list[str] = []
    while len(words) > MAX_SPOKEN_CHARS:
        cut = _breath(words)
        pieces.append(words[:cut].strip())
        words = words[cut:].lstrip()
    return [*pieces, words] if words else pieces


def _breath(words: str) -> int:
    for border in _BORDERS:
        ends = [match.end() for match in border.finditer(words, 0, MAX_SPOKEN_CHARS)]
        if ends:
            return ends[-1]
    return MAX_SPOKEN_CHARS
