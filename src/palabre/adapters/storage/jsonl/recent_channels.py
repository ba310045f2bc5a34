"""The channels used last: their newest utterances, read from disk once for all who ask."""

from asyncio import Future, shield
from collections import OrderedDict
from collections.abc import Callable

from palabre.adapters.storage.jsonl.append_log import Append
from palabre.adapters.storage.jsonl.channel_tail import UNKNOWN, ChannelTail, Stretch, Want
from palabre.core.chat.model import Utterance
from palabre.kernel.ids import ChannelName

MAX_CHANNELS = 64

AT_LEAST = Want(messages=20, more_than_chars=4000)
"""What newcomers and personas ask for: who reads a file reads so much for those who follow."""

Read = Callable[[ChannelName, Want], "Future[Stretch]"]


class RecentChannels:
    """Tails of at most *max_channels* channels. Lives in the event loop."""

    def __init__(self, read: Read, max_channels: int = MAX_CHANNELS) -> None:
        """Start with none; *read* starts reading the end of a channel's file in a thread."""
        self._read = read
        self._max_channels = max_channels
        self._tails: OrderedDict[ChannelName, ChannelTail] = OrderedDict()
        self._reads: dict[ChannelName, tuple[Want, Future[Stretch]]] = {}

    def settled(self, append: Append) -> None:
        """Take in an append that is on disk; they come in the order of the file."""
        channel = append.utterance.channel
        tail = self._tail(channel)
        if tail.end not in {UNKNOWN, append.start}:
            # Somebody else changed the file: what we knew of it may be gone.
            del self._tails[channel]
            tail = self._tail(channel)
        tail.add(append.start, append.end, append.utterance)

    async def newest(self, channel: ChannelName, want: Want) -> list[Utterance]:
        """Return the channel's newest utterances, *want* or more, oldest first.

        Raises:
            StorageError: The file cannot be read.
        """
        while True:
            tail = self._tail(channel)
            if tail.meets(want):
                return tail.utterances()
            with tail:
                stretch = await shield(self._reading(channel, want))
                if self._tails.get(channel) is tail:
                    return tail.join(stretch)

    def forget(self, channel: ChannelName) -> None:
        """Know nothing of *channel* any more: its file was replaced."""
        self._tails.pop(channel, None)
        self._reads.pop(channel, None)

    def _tail(self, channel: ChannelName) -> ChannelTail:
        tail = self._tails.get(channel)
        if tail is None:
            self._make_room()
            tail = self._tails[channel] = ChannelTail()
        self._tails.move_to_end(channel)
        return tail

    def _make_room(self) -> None:
        surplus = len(self._tails) + 1 - self._max_channels
        idle = (channel for channel, tail in self._tails.items() if not tail.is_read)
        for channel in [channel for _, channel in zip(range(surplus), idle, strict=False)]:
            del self._tails[channel]

    def _reading(self, channel: ChannelName, want: Want) -> "Future[Stretch]":
        shared = self._reads.get(channel)
        if shared and shared[0].covers(want):
            return shared[1]
        wider = want.or_more(AT_LEAST)
        reading = self._read(channel, wider)
        self._reads[channel] = wider, reading
        reading.add_done_callback(lambda _: self._forget(channel, reading))
        return reading

    def _forget(self, channel: ChannelName, reading: "Future[Stretch]") -> None:
        if self._reads.get(channel, (None, None))[1] is reading:
            del self._reads[channel]
