"""A message store without a disk."""

from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime

from palabre.core.chat.errors import StoreClosedError
from palabre.core.chat.model import Backlog, ChannelStats, StoreTotals, Tidied, Utterance
from palabre.core.chat.ports import MAX_CONTEXT_CHARS
from palabre.core.chat.summaries import newest_sentences
from palabre.core.chat.utterances import SUMMARY_NICK, summary_budget
from palabre.kernel.clock import whole_ms
from palabre.kernel.errors import StorageError
from palabre.kernel.ids import ChannelName, Nick


class MemoryMessageStore:
    """Keeps what is said until the test ends; cuts and rounds as the port says.

    Attributes:
        utterances: All that was kept, whole and in order.
        refusal: While not None, why nothing more can be kept.
        archive: What summaries stand for, the oldest first; one list for each of them.
    """

    def __init__(self) -> None:
        self.utterances: list[Utterance] = []
        self.refusal: str | None = None
        self.archive: list[list[Utterance]] = []
        self._summaries: dict[ChannelName, Utterance] = {}
        self._compacted: dict[ChannelName, ChannelStats] = {}
        self._channels: defaultdict[ChannelName, list[Utterance]] = defaultdict(list)
        self._is_open = True

    async def append(self, utterance: Utterance) -> None:
        self._check_open()
        if self.refusal is not None:
            raise StorageError(detail=self.refusal)
        self.utterances.append(utterance)
        self._channels[utterance.channel].append(_as_context(utterance))

    async def latest(self, channel: ChannelName, count: int) -> list[Utterance]:
        self._check_open()
        return self._kept(channel)[-count:] if count > 0 else []

    async def within(self, channel: ChannelName, budget_chars: int) -> list[Utterance]:
        self._check_open()
        before = self._summary(channel, summary_budget(budget_chars))
        budget_chars -= sum(len(each.text) for each in before)
        found: list[Utterance] = []
        for utterance in reversed(self._kept(channel)):
            budget_chars -= len(utterance.text)
            if budget_chars < 0:
                break
            found.insert(0, utterance)
        return before + found

    async def stats(self, channel: ChannelName) -> ChannelStats:
        self._check_open()
        texts = [utterance.text for utterance in self._kept(channel)]
        stats = self._compacted.get(channel, ChannelStats())
        return replace(stats, messages=len(texts), chars=sum(map(len, texts)))

    async def totals(self) -> StoreTotals:
        """Return the counts; for lack of files, the size is that of the texts in UTF-8."""
        self._check_open()
        texts = (utterance.text for kept in self._channels.values() for utterance in kept)
        size_bytes = sum(len(text.encode()) for text in texts)
        return StoreTotals(len(self._channels), size_bytes)

    async def grown(self, size_bytes: int) -> list[ChannelName]:
        self._check_open()
        return [channel for channel in self._channels if self._size(channel) >= size_bytes]

    async def backlog(self, channel: ChannelName, share: float, min_entries: int) -> Backlog | None:
        self._check_open()
        kept = self._kept(channel)
        count = int(len(kept) * share)
        if len(kept) < min_entries or not count:
            return None
        summary = self._summaries.get(channel)
        token = str(self._compacted.get(channel, ChannelStats()).compactions)
        return Backlog(channel, count, count, token, summary.text if summary else "")

    async def passage(
        self, backlog: Backlog, start: int, max_chars: int
    ) -> tuple[list[Utterance], int]:
        self._check_open()
        if not self._is_current(backlog):
            return [], backlog.end
        said: list[Utterance] = []
        for utterance in self._kept(backlog.channel)[start : backlog.end]:
            max_chars -= len(utterance.nick) + len(utterance.text)
            if said and max_chars < 0:
                break
            said.append(utterance)
        return said, start + len(said)

    async def compact(self, backlog: Backlog, summary: str, at: datetime) -> bool:
        self._check_open()
        if not self._is_current(backlog):
            return False
        channel, kept = backlog.channel, self._channels[backlog.channel]
        self.archive.append(kept[: backlog.end])
        del kept[: backlog.end]
        self._summaries[channel] = Utterance(at, channel, SUMMARY_NICK, summary, "summary")
        before = self._compacted.get(channel, ChannelStats())
        self._compacted[channel] = ChannelStats(
            compacted_entries=before.compacted_entries + backlog.entries,
            compactions=before.compactions + 1,
            compacted_at=at,
        )
        return True

    async def tidy(self, max_bytes: int) -> Tidied:
        self._check_open()
        before = len(self.archive)
        while self.archive and self._total_size() > max_bytes:
            del self.archive[0]
        return Tidied(self._total_size(), before - len(self.archive))

    async def aclose(self) -> None:
        self._is_open = False

    def _summary(self, channel: ChannelName, max_chars: int) -> list[Utterance]:
        summary = self._summaries.get(channel)
        words = newest_sentences(summary.text, max_chars) if summary else ""
        return [replace(summary, text=words)] if summary and words else []

    def _is_current(self, backlog: Backlog) -> bool:
        stats = self._compacted.get(backlog.channel, ChannelStats())
        return backlog.token == str(stats.compactions)

    def _size(self, channel: ChannelName) -> int:
        return _bytes_of(self._kept(channel))

    def _total_size(self) -> int:
        return sum(map(_bytes_of, [*self._channels.values(), *self.archive]))

    def _kept(self, channel: ChannelName) -> list[Utterance]:
        return self._channels.get(channel, [])

    def _check_open(self) -> None:
        if not self._is_open:
            raise StoreClosedError


def _bytes_of(said: list[Utterance]) -> int:
    return sum(len(utterance.text.encode()) for utterance in said)


def _as_context(utterance: Utterance) -> Utterance:
    return replace(
        utterance,
        at=whole_ms(utterance.at.astimezone(UTC)),
        nick=Nick(_sayable(utterance.nick)),
        text=_sayable(utterance.text)[:MAX_CONTEXT_CHARS],
    )


def _sayable(words: str) -> str:
    utf_16 = words.encode("utf-16", "surrogatepass")
    return utf_16.decode("utf-16", "replace")
