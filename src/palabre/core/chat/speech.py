"""Turn what a model writes into what a persona says, piece by piece. Pure."""

import re

from palabre.core.chat.thinking import ThinkingFilter

_EMPHASIS = r"(?:\*\*|__|\*|_)?"
_DECORATION = " \t\r\n*_"


class SpeechCleaner:
    """Drops thoughts, a leading `Name :` of the speaker itself, and white space at the ends.

    The colon is needed: an answer that merely begins with the speaker's name keeps it
    (seed 000 §5.8, post-processing).
    """

    def __init__(self, nick: str) -> None:
        self._nick = nick.casefold()
        self._prefix = re.compile(
            rf"\s*{_EMPHASIS}\s*{re.escape(nick)}\s*{_EMPHASIS}\s*:\s*{_EMPHASIS}\s*",
            re.IGNORECASE,
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
        if self._may_be_prefix(self._start):
            return ""
        start, self._start = self._start, None
        return self._without_prefix(start)

    def _may_be_prefix(self, start: str) -> bool:
        bare = start.lstrip(_DECORATION).casefold()
        if len(bare) <= len(self._nick):
            return self._nick.startswith(bare)
        rest = bare.removeprefix(self._nick)
        return rest != bare and not rest.strip(_DECORATION + ":")

    def _without_prefix(self, text: str) -> str:
        match = self._prefix.match(text)
        return text[match.end() :] if match else text.lstrip()
