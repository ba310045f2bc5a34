"""The counts of the channels that somebody asked about, kept right by each append."""

from asyncio import Future, shield
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from palabre.adapters.storage.jsonl.append_log import Append
from palabre.adapters.storage.jsonl.index_file import Count
from palabre.kernel.ids import ChannelName

SAVE_EVERY = 1000
"""Utterances after which a count is saved again."""

MAX_TALLIES = 4096


@dataclass(slots=True)
class _Tally:
    count: Count
    unsaved: int = 0


@dataclass(slots=True)
class _Counting:
    result: "Future[tuple[Count, int]]"
    meanwhile: list[Append] = field(default_factory=list)


class Tallies:
    """Counts by channel. Lives in the event loop."""

    def __init__(
        self,
        count: Callable[[ChannelName], "Future[tuple[Count, int]]"],
        save: Callable[[ChannelName, Count], None],
        max_tallies: int = MAX_TALLIES,
    ) -> None:
        """Start with none.

        Args:
            count: Starts counting a channel's file in a thread; also tells how many utterances
                no saved count knew of.
            save: Has a count saved, some time.
            max_tallies: How many channels' counts are kept.
        """
        self._count = count
        self._save = save
        self._max_tallies = max_tallies
        self._tallies: OrderedDict[ChannelName, _Tally] = OrderedDict()
        self._countings: dict[ChannelName, _Counting] = {}

    def settled(self, append: Append) -> None:
        """Take in an append that is on disk; they come in the order of the file."""
        channel = append.utterance.channel
        if counting := self._countings.get(channel):
            counting.meanwhile.append(append)
        elif append.start == 0:
            self._keep(channel, _Tally(Count()))
        if tally := self._tallies.get(channel):
            self._add(channel, tally, append)

    async def of(self, channel: ChannelName) -> Count:
        """Return the channel's count; only the first call for a channel reads its file.

        Raises:
            StorageError: The file cannot be read.
        """
        while (tally := self._tallies.get(channel)) is None:
            counting = self._countings.get(channel) or self._start(channel)
            await shield(counting.result)
        self._tallies.move_to_end(channel)
        return tally.count

    def forget(self, channel: ChannelName) -> None:
        """Know nothing of *channel* any more: its file was replaced."""
        self._tallies.pop(channel, None)
        self._countings.pop(channel, None)

    def save_all(self) -> None:
        """Have every count saved that is not."""
        for channel, tally in self._tallies.items():
            self._save_if(channel, tally, at_least=1)

    def _start(self, channel: ChannelName) -> _Counting:
        counting = self._countings[channel] = _Counting(self._count(channel))
        counting.result.add_done_callback(lambda _: self._finish(channel, counting))
        return counting

    def _finish(self, channel: ChannelName, counting: _Counting) -> None:
        if self._countings.get(channel) is not counting:
            return
        del self._countings[channel]
        if counting.result.cancelled() or counting.result.exception():
            return
        count, unsaved = counting.result.result()
        tally = _Tally(count, unsaved)
        self._keep(channel, tally)
        for append in counting.meanwhile:
            if append.start >= count.offset:
                self._add(channel, tally, append)
        self._save_if(channel, tally, at_least=SAVE_EVERY)

    def _add(self, channel: ChannelName, tally: _Tally, append: Append) -> None:
        if append.start != tally.count.offset:
            # Somebody else changed the file: it is counted again when somebody asks.
            self._tallies.pop(channel, None)
            return
        tally.count = tally.count.plus(append.end, len(append.utterance.text))
        tally.unsaved += 1
        self._save_if(channel, tally, at_least=SAVE_EVERY)

    def _keep(self, channel: ChannelName, tally: _Tally) -> None:
        self._tallies[channel] = tally
        self._tallies.move_to_end(channel)
        if len(self._tallies) > self._max_tallies:
            oldest, surplus = self._tallies.popitem(last=False)
            self._save_if(oldest, surplus, at_least=1)

    def _save_if(self, channel: ChannelName, tally: _Tally, at_least: int) -> None:
        if tally.unsaved >= at_least:
            tally.unsaved = 0
            self._save(channel, tally.count)
