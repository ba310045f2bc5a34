"""Keep a model's `<think>` blocks out of what it says, however the tags are cut. Pure."""

import re

_MARK = re.compile(r"</?think>|```|`|\n", re.IGNORECASE | re.ASCII)
_FENCE = len("```")
_LONGEST_MARK = len("</think>")
_TAG_STARTS = frozenset(
    tag[:size] for tag in ("<think>", "</think>") for size in range(1, len(tag))
)


class ThinkingFilter:
    """Takes an answer piece by piece and gives back what is meant for the reader.

    Tags may be split over pieces or glued to text. Inside code they are literal. A block that
    never ends hides the rest; a closing tag without a block says that all before it was thought:
    `text` forgets it, though `feed` may have given it back already.
    """

    def __init__(self) -> None:
        self._held = ""
        self._said: list[str] = []
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
        return self._sort(ready)

    def _sort(self, ready: str) -> str:
        shown: list[str] = []
        at = 0
        for match in _MARK.finditer(ready):
            self._keep(ready[at : match.start()], shown)
            self._meet(match.group(), shown)
            at = match.end()
        self._keep(ready[at:], shown)
        return "".join(shown)

    def _keep(self, part: str, shown: list[str]) -> None:
        if part and not self._thinking:
            shown.append(part)
            self._said.append(part)

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
            shown.clear()
        self._thinking = False

    def _mark_code(self, mark: str) -> None:
        if self._thinking or mark.startswith("<"):
            return
        if self._code == mark or (mark == "\n" and self._code == "`"):
            self._code = ""
        elif not self._code and mark != "\n":
            self._code = mark


def _open_end(text: str) -> int:
    """Return the length of the end of *text* that more of it may turn into another mark."""
    ticks = len(text) - len(text.rstrip("`"))
    if ticks:
        return ticks % _FENCE
    longest = min(len(text), _LONGEST_MARK - 1)
    return next((size for size in range(longest, 0, -1) if text[-size:].lower() in _TAG_STARTS), 0)
