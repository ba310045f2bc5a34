"""Turn what a model writes into what a persona says, piece by piece. Pure."""

import re

from palabre.core.models.thinking import ThinkingFilter

_EMPHASES = ("**", "__", "*", "_")
_AROUND_NAME = frozenset("*_:")

MAX_PREFIX = 64
"""Characters within which the colon of a prefix stands; no more of an answer is held back."""


class SpeechCleaner:
    """Drops thoughts, a leading `Name :` of the speaker itself, and white space at the ends.

    The colon is needed: an answer that merely begins with the speaker's name keeps it
    (seed 000 §5.8, post-processing).
    """

    def __init__(self, nick: str) -> None:
        self._nick = nick
        name, emphasis = re.escape(nick), "|".join(map(re.escape, _EMPHASES))
        # No two repetitions meet: white space without end costs no more than its length.
        self._prefix = re.compile(
            rf"(?:{name}\s*:|({emphasis})\s*{name}\s*(?:\1\s*:|:\s*\1))", re.IGNORECASE
        )
        self._thinking = ThinkingFilter()
        self._start: str | None = ""  # None once it is decided whether there is a prefix

    @property
    def text(self) -> str:
        """The whole speech so far, as it will be told."""
        return self._without_prefix(self._thinking.text).strip()

    def feed(self, piece: str) -> str:
        """Take *piece*; return what can be shown now, perhaps nothing."""
        return self._after_start(self._thinking.feed(piece))

    def finish(self) -> str:
        """The answer is whole; return what was still held back."""
        shown = self._after_start(self._thinking.finish())
        start, self._start = self._start, None
        return self._without_prefix(start or "") + shown

    def _after_start(self, shown: str) -> str:
        if self._start is None:
            return shown
        self._start = (self._start + shown).lstrip()
        if len(self._start) < MAX_PREFIX and self._may_be_prefix(self._start):
            return ""
        start, self._start = self._start, None
        return self._without_prefix(start)

    def _may_be_prefix(self, start: str) -> bool:
        openings = [each for each in ("", *_EMPHASES) if start.startswith(each)]
        names = [start[len(opening) :].lstrip() for opening in openings]
        return any(self._may_be_name(name) for name in names)

    def _may_be_name(self, start: str) -> bool:
        name, rest = start[: len(self._nick)], start[len(self._nick) :]
        expected = re.escape(self._nick[: len(name)])
        if not re.fullmatch(expected, name, re.IGNORECASE):
            return False
        return all(char.isspace() or char in _AROUND_NAME for char in rest)

    def _without_prefix(self, text: str) -> str:
        text = text.lstrip()
        match = self._prefix.match(text, 0, MAX_PREFIX)
        return text[match.end() :].lstrip() if match else text
