"""What is said: kept first, then told, and shown to newcomers without a gap or a repetition."""

from palabre.core.chat.hub import RoomHub
from palabre.core.chat.model import MessagePosted, NoticeGiven, Utterance
from palabre.core.chat.ports import MessageStore
from palabre.core.telemetry.ports import Telemetry
from palabre.kernel.errors import StorageError
from palabre.kernel.ids import ChannelName

MAX_TRIES = 5
"""Reads of the past, each overtaken by something new, before a gap is accepted."""


class Chronicle:
    """The one way by which words come into a channel."""

    def __init__(self, store: MessageStore, hub: RoomHub, telemetry: Telemetry) -> None:
        self._store = store
        self._hub = hub
        self._telemetry = telemetry
        self._untold: dict[ChannelName, list[Utterance]] = {}
        self._told = 0

    async def say(self, said: Utterance, event: MessagePosted | NoticeGiven) -> None:
        """Keep *said*, then tell its channel *event*.

        Raises:
            StorageError: It could not be kept, and so was told to nobody.
        """
        untold = self._untold.setdefault(said.channel, [])
        untold.append(said)
        try:
            await self._store.append(said)
        finally:
            _remove(untold, said)
            if not untold:
                self._untold.pop(said.channel, None)
        self._told += 1
        self._hub.publish(said.channel, event)

    async def latest(self, channel: ChannelName, count: int) -> list[Utterance]:
        """Return the newest *count* utterances that were told, oldest first.

        Whoever listens from this very moment on hears all the others. Nothing at all when the
        past cannot be read: that keeps nobody out.
        """
        kept: list[Utterance] = []
        for _ in range(MAX_TRIES):
            told = self._told
            more = len(self._untold.get(channel, ()))
            try:
                kept = await self._store.latest(channel, count + more if count else 0)
            except StorageError:
                self._telemetry.count("history_unreadable")
                return []
            if told == self._told:
                break
        told_only = kept[: len(kept) - self._untold_end(channel, kept)]
        return told_only[-count:] if count else []

    def _untold_end(self, channel: ChannelName, kept: list[Utterance]) -> int:
        """Return how many at the end of *kept* are yet to be told: they are in the same order."""
        untold = self._untold.get(channel, [])
        for size in range(min(len(untold), len(kept)), 0, -1):
            end = kept[len(kept) - size :]
            if all(map(is_same, end, untold)):
                return size
        return 0


def is_same(kept: Utterance, said: Utterance) -> bool:
    """Say whether *kept* is *said*, of which the store may have kept the beginning only."""
    same_moment = (kept.nick, kept.at) == (said.nick, said.at)
    return same_moment and said.text.startswith(kept.text)


def _remove(utterances: list[Utterance], said: Utterance) -> None:
    """Remove that very object: another may be equal to it."""
    for index, each in enumerate(utterances):
        if each is said:
            del utterances[index]
            return
