"""The newest utterances of a channel, in memory."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from palabre.adapters.storage.jsonl.backwards import ReadAt, lines_backwards
from palabre.adapters.storage.jsonl.line_format import MAX_LINE_BYTES, read_line
from palabre.core.chat.model import Utterance
from palabre.kernel.ids import ChannelName

MAX_TAIL_MESSAGES = 256
MAX_TAIL_CHARS = 48_000
"""Holds 20 texts of the greatest length, which is what newcomers are shown."""

UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class Want:
    """How far back to go: until so many utterances, and more than so many characters."""

    messages: int = 0
    more_than_chars: int = -1

    def is_met(self, messages: int, chars: int) -> bool:
        """Say whether so much is enough."""
        return messages >= self.messages and chars > self.more_than_chars

    def or_more(self, other: "Want") -> "Want":
        """Return what meets both."""
        return Want(
            max(self.messages, other.messages),
            max(self.more_than_chars, other.more_than_chars),
        )

    def covers(self, other: "Want") -> bool:
        """Say whether whoever meets this has what *other* wants."""
        return self.messages >= other.messages and self.more_than_chars >= other.more_than_chars


@dataclass(frozen=True, slots=True)
class Stretch:
    """What the file holds from *start* (0: its beginning) to *end*, oldest first.

    Attributes:
        lines: Offset and utterance of each line that makes sense.
    """

    start: int
    end: int
    lines: Sequence[tuple[int, Utterance]]


def read_stretch(read_at: ReadAt, end: int, channel: ChannelName, want: Want) -> Stretch:
    """Read the last lines of the first *end* bytes, as many as *want* says or all there are."""
    found: deque[tuple[int, Utterance]] = deque()
    chars, start = 0, end
    for start, line in lines_backwards(read_at, end, max_line_bytes=MAX_LINE_BYTES):
        utterance = read_line(line, channel) if line else None
        if utterance:
            found.appendleft((start, utterance))
            chars += len(utterance.text)
            if want.is_met(len(found), chars):
                break
    return Stretch(start, end, found)


class ChannelTail:
    """The newest utterances of a channel, without a gap up to the last one settled.

    Attributes:
        start: Offset in the file from which everything is here; 0 when nothing is missing,
            `UNKNOWN` before the first utterance.
        end: Offset behind the newest line, or `UNKNOWN`.
    """

    def __init__(self) -> None:
        self.start = self.end = UNKNOWN
        self._readers = 0
        self._lines: deque[tuple[int, Utterance]] = deque()
        self._chars = 0

    @property
    def is_read(self) -> bool:
        """Whether somebody is reading the file for it: it must not be given up now."""
        return self._readers > 0

    def __enter__(self) -> None:
        self._readers += 1

    def __exit__(self, *fault: object) -> None:
        self._readers -= 1
        self._trim()

    def meets(self, want: Want) -> bool:
        """Say whether *want* can be answered from here."""
        return self.start == 0 or want.is_met(len(self._lines), self._chars)

    def utterances(self) -> list[Utterance]:
        """Return what is here, oldest first."""
        return [utterance for _, utterance in self._lines]

    def add(self, start: int, end: int, utterance: Utterance) -> None:
        """Add what was written from *start*, which is where this ends, to *end*."""
        if self.start == UNKNOWN:
            self.start = start
        self._lines.append((start, utterance))
        self._chars += len(utterance.text)
        self.end = end
        self._trim()

    def join(self, stretch: Stretch) -> list[Utterance]:
        """Take in what *stretch* has from before; return all of both, oldest first.

        The stretch was read while this was open (`with tail:`), so there is no gap between them.
        """
        newer = [utterance for start, utterance in self._lines if start >= stretch.end]
        if self.start == UNKNOWN:
            self.start = self.end = stretch.end
        older = [line for line in stretch.lines if line[0] < self.start]
        self._lines.extendleft(reversed(older))
        self._chars += sum(len(utterance.text) for _, utterance in older)
        self.start = min(self.start, stretch.start)
        return [*(utterance for _, utterance in stretch.lines), *newer]

    def _trim(self) -> None:
        while not self.is_read and self._is_full():
            self._chars -= len(self._lines.popleft()[1].text)
            self.start = self._lines[0][0]

    def _is_full(self) -> bool:
        return len(self._lines) > MAX_TAIL_MESSAGES or self._chars > MAX_TAIL_CHARS
