"""Keep calls of tools that a model writes out of what it says, piece by piece. Pure."""

import re
from collections.abc import Collection

from palabre.core.models.model import ToolCall
from palabre.core.models.thinking import ThinkingFilter
from palabre.core.tools.written_call import judge

_STEP = re.compile(r"(?<=[>\n])")


class CallSieve:
    """Takes an answer piece by piece; gives back what is no call, thoughts included.

    A call stands at the beginning of a line, thoughts aside. A line is held back only while it
    can still become one. With the first call the answer is over: what a model writes behind it,
    but for further calls, it made up without knowing the result.

    Args:
        names: Tools that may be called; without any, nothing is held back.

    Attributes:
        calls: Those found so far.
        is_over: Whether the rest of the answer is of no use.
    """

    def __init__(self, names: Collection[str]) -> None:
        self.calls: list[ToolCall] = []
        self.is_over = False
        self._names = names
        self._thinking = ThinkingFilter()
        self._shown = 0
        self._held: str | None = ""  # None in the middle of a line
        self._line = ""
        self._closing = ""

    def feed(self, piece: str) -> str:
        """Take *piece*; return what can be passed on now."""
        if not self._names:
            return piece
        return "".join(self._step(step) for step in _STEP.split(piece) if step)

    def finish(self) -> str:
        """The answer is whole; return what was still held back, unless calls were found."""
        held, self._held = self._held or "", None
        return "" if self.calls else held

    def _step(self, step: str) -> str:
        if self.is_over:
            return ""
        seen = self._see(step)
        if seen is None:
            return self._begin_again(step)
        if self._held is None:
            if seen.endswith("\n"):
                self._held, self._line = "", ""
            return step
        self._held += step
        self._line += seen
        return self._decide()

    def _see(self, step: str) -> str | None:
        """Return what a reader gets of *step*; None when all before it turns out to be thought."""
        seen = self._thinking.feed(step)
        shown, self._shown = self._shown, self._thinking.size
        return seen if self._shown >= shown else None

    def _begin_again(self, step: str) -> str:
        held, self._held, self._line = self._held or "", "", ""
        return held + step

    def _decide(self) -> str:
        if self._closing and not self._close():
            return ""
        judged = judge(self._line, self._names)
        if isinstance(judged.verdict, ToolCall):
            self.calls.append(judged.verdict)
            self._line, self._closing = self._line[judged.end :], judged.closing
            return self._decide()
        if judged.verdict == "open":
            return ""
        return self._give_up()

    def _close(self) -> bool:
        """Leave out what closes a call; say whether it is decided what that is."""
        rest = self._line.lstrip()
        if rest != self._closing and self._closing.startswith(rest):
            return False
        self._line, self._closing = rest.removeprefix(self._closing), ""
        return True

    def _give_up(self) -> str:
        if self.calls:
            self.is_over = True
            return ""
        held, self._held = self._held or "", None
        if self._line.endswith("\n"):
            self._held = self._line = ""
        return held
