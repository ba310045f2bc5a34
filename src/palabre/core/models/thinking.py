"""Keep a model's `<think>` blocks out of what it says, however the tags are cut. Pure."""

import re

_MARK = re.compile(r"</?think>|```|`|\n", re.IGNORECASE | re.ASCII)
_FENCE = len("```")
_LONGEST_MARK = len("</think>")
MAX_UNDECIDED = 256
"""Characters after which a tag behind a lone backtick is a tag: none closes the code there."""

_TAG_STARTS = frozenset(
    tag[:size] for tag in ("<think>", "</think>") for size in range(1, len(tag))
)


class ThinkingFilter:
    """Takes an answer piece by piece and gives back what is meant for the reader.

    Tags may be split over pieces or glued to text. Inside code they are literal; a backtick that
    no other on its line closes begins no code. A block that
    never ends hides the rest; a closing tag without a block says that all before it was thought:
    `text` forgets it, though `feed` may have given it back already.

    Attributes:
        size: Characters of `text`; to read that costs its length.
    """

    def __init__(self) -> None:
        self._held = ""
        self._said: list[str] = []
        self.size = 0
        self._thinking = False
        self._code = ""

    @property
    def text(self) -> str:
        """All that was meant for the reader so far."""
        return "".join(self._said)

    def feed(self, piece: str) -> str:
        """Take *piece*; return what of the answer can be shown now."""
        self._held += piece
        cut = len(self._held) - _open_end(self._held)
        ready, self._held = self._held[:cut], self._held[cut:]
        return self._sort(ready)

    def finish(self) -> str:
        """The answer is whole; return what was still held back."""
        ready, self._held = self._held, ""
        return self._sort(ready, is_whole=True)

    def _sort(self, ready: str, *, is_whole: bool = False) -> str:
        shown: list[str] = []
        at = 0
        for match in _MARK.finditer(ready):
            if self._code == "`" and match.group().startswith("<"):
                end = _span_end(ready, match)
                if end is None and not is_whole and len(ready) - match.start() <= MAX_UNDECIDED:
                    ready, self._held = ready[: match.start()], ready[match.start() :] + self._held
                    break
                self._code = "`" if end == "`" else ""
            self._keep(ready[at : match.start()], shown)
            self._meet(match.group(), shown)
            at = match.end()
        self._keep(ready[at:], shown)
        return "".join(shown)

    def _keep(self, part: str, shown: list[str]) -> None:
        if part and not self._thinking:
            shown.append(part)
            self._said.append(part)
            self.size += len(part)

    def _meet(self, mark: str, shown: list[str]) -> None:
        if not mark.startswith("<") or self._code:
            self._mark_code(mark)
            self._keep(mark, shown)
        elif mark.startswith("</"):
            self._close(shown)
        else:
            self._thinking = True

    def _close(self, shown: list[str]) -> None:
        if not self._thinking:
            self._said.clear()
            self.size = 0
            shown.clear()
        self._thinking = False

    def _mark_code(self, mark: str) -> None:
        if self._thinking or mark.startswith("<"):
            return
        if self._code == mark or (mark == "\n" and self._code == "`"):
            self._code = ""
        elif not self._code and mark != "\n":
            self._code = mark


def _span_end(text: str, tag: re.Match[str]) -> str | None:
    """Return the backtick or line end that is next behind *tag*; None if there is none near."""
    marks = _MARK.finditer(text, tag.end(), tag.start() + MAX_UNDECIDED)
    return next((mark.group() for mark in marks if mark.group() in {"`", "\n"}), None)


def _open_end(text: str) -> int:
    """Return the length of the end of *text* that more of it may turn into another mark."""
    ticks = len(text) - len(text.rstrip("`"))
    if ticks:
        return ticks % _FENCE
    longest = min(len(text), _LONGEST_MARK - 1)
    return next((size for size in range(longest, 0, -1) if text[-size:].lower() in _TAG_STARTS), 0)


def without_thoughts(answer: str) -> str:
    """Return what of a whole *answer* is meant for the reader."""
    thinking = ThinkingFilter()
    thinking.feed(answer)
    thinking.finish()
    return thinking.text.strip()
