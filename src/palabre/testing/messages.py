"""A message store without a disk."""

from collections import defaultdict
from dataclasses import replace
from datetime import UTC

from palabre.core.chat.errors import StoreClosedError
from palabre.core.chat.model import ChannelStats, StoreTotals, Utterance
from palabre.core.chat.ports import MAX_CONTEXT_CHARS
from palabre.kernel.clock import whole_ms
from palabre.kernel.errors import StorageError
from palabre.kernel.ids import ChannelName, Nick


class MemoryMessageStore:
    """Keeps what is said until the test ends; cuts and rounds as the port says.

    Attributes:
        utterances: All that was kept, whole and in order.
        refusal: While not None, why nothing more can be kept.
    """

    def __init__(self) -> None:
        self.utterances: list[Utterance] = []
        self.refusal: str | None = None
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
        found: list[Utterance] = []
        for utterance in reversed(self._kept(channel)):
            budget_chars -= len(utterance.text)
            if budget_chars < 0:
                break
            found.insert(0, utterance)
        return found

    async def stats(self, channel: ChannelName) -> ChannelStats:
        self._check_open()
        texts = [utterance.text for utterance in self._kept(channel)]
        return ChannelStats(messages=len(texts), chars=sum(map(len, texts)))

    async def totals(self) -> StoreTotals:
        """Return the counts; for lack of files, the size is that of the texts in UTF-8."""
        self._check_open()
        texts = (utterance.text for kept in self._channels.values() for utterance in kept)
        size_bytes = sum(len(text.encode()) for text in texts)
        return StoreTotals(len(self._channels), size_bytes)

    async def aclose(self) -> None:
        self._is_open = False

    def _kept(self, channel: ChannelName) -> list[Utterance]:
        return self._channels.get(channel, [])

    def _check_open(self) -> None:
        if not self._is_open:
            raise StoreClosedError


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
