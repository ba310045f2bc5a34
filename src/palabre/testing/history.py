"""What was said, in memory."""

from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, date

from palabre.core.history.counting import counted_kind
from palabre.core.history.folding import folded, folded_line
from palabre.core.history.model import Count, Day, DayPage, Line, NewLine, Span, Swept, Wanted


class MemoryHistoryStore:
    """`HistoryStore` in memory."""

    def __init__(self, *lines: NewLine) -> None:
        self._lines: list[tuple[Line, int]] = []
        self.add(*lines)

    def add(self, *lines: NewLine) -> None:
        """Keep *lines*, which come in the order of time."""
        for new in lines:
            at = new.at.astimezone(UTC)
            number = len(self._lines) + 1
            line = Line(number, at.date(), at, new.channel, new.nick, new.kind, new.text)
            self._lines.append((line, new.size_bytes))

    async def days(self, newest: int) -> Sequence[Day]:
        return [
            Day(day, len(lines), sum(size for _, size in lines))
            for day in self._days()[:newest]
            if (lines := [each for each in self._lines if each[0].day == day])
        ]

    async def of_day(self, day: date, limit: int, offset: int) -> DayPage | None:
        lines = [line for line, _ in self._lines if line.day == day]
        return DayPage(lines[offset : offset + limit], len(lines)) if lines else None

    async def search(self, wanted: Wanted) -> Sequence[Line]:
        words = folded(wanted.words)
        found = [
            line
            for line, _ in reversed(self._lines)
            if words in folded_line(line.nick, line.text)
            and wanted.channel in {None, line.channel}
            and (wanted.before_id is None or line.id < wanted.before_id)
        ]
        return found[: wanted.limit]

    async def lines(self, span: Span) -> AsyncGenerator[Sequence[Line]]:
        since, until = span.since or date.min, span.until or date.max
        inside = [line for line, _ in self._lines if since <= line.day <= until]
        found = [line for line in inside if line.channel == span.channel]
        for start in range(0, len(found), 2):
            yield found[start : start + 2]

    async def counts(self, newest: int) -> Sequence[Count]:
        counts: dict[tuple[date, str, str], int] = {}
        for line, _ in self._lines:
            key = line.day, counted_kind(line.kind, line.text), line.nick
            counts[key] = counts.get(key, 0) + 1
        shown = self._days()[:newest]
        return [Count(*key, count) for key, count in counts.items() if key[0] in shown]

    async def older(self, first_kept: date) -> Swept:
        old = [line.day for line, _ in self._lines if line.day < first_kept]
        return Swept(len(set(old)), len(old))

    async def forget(self, first_kept: date) -> Swept:
        gone = await self.older(first_kept)
        self._lines = [each for each in self._lines if each[0].day >= first_kept]
        return gone

    def _days(self) -> list[date]:
        return sorted({line.day for line, _ in self._lines}, reverse=True)
