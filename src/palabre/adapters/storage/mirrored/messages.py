"""`MessageStore` that is followed by another."""

from datetime import datetime

from palabre.adapters.storage.mirrored.failures import forgiven
from palabre.core.chat.model import Backlog, ChannelStats, StoreTotals, Tidied, Utterance
from palabre.core.chat.ports import MessageStore
from palabre.core.telemetry.ports import Telemetry
from palabre.kernel.ids import ChannelName


class MirroredMessageStore:
    """Answers from *store*; *mirror* is told what changes, and is closed with it."""

    def __init__(self, store: MessageStore, mirror: MessageStore, telemetry: Telemetry) -> None:
        self._store = store
        self._mirror = mirror
        self._telemetry = telemetry

    async def append(self, utterance: Utterance) -> None:
        await self._store.append(utterance)
        with forgiven(self._telemetry, "a message"):
            await self._mirror.append(utterance)

    async def latest(self, channel: ChannelName, count: int) -> list[Utterance]:
        return await self._store.latest(channel, count)

    async def within(self, channel: ChannelName, budget_chars: int) -> list[Utterance]:
        return await self._store.within(channel, budget_chars)

    async def stats(self, channel: ChannelName) -> ChannelStats:
        return await self._store.stats(channel)

    async def totals(self) -> StoreTotals:
        return await self._store.totals()

    async def grown(self, size_bytes: int) -> list[ChannelName]:
        return await self._store.grown(size_bytes)

    async def backlog(self, channel: ChannelName, share: float, min_entries: int) -> Backlog | None:
        return await self._store.backlog(channel, share, min_entries)

    async def passage(
        self, backlog: Backlog, start: int, max_chars: int
    ) -> tuple[list[Utterance], int]:
        return await self._store.passage(backlog, start, max_chars)

    async def compact(self, backlog: Backlog, summary: str, at: datetime) -> bool:
        done = await self._store.compact(backlog, summary, at)
        if done:
            with forgiven(self._telemetry, "a summary"):
                await self._follow(backlog.channel, summary, at)
        return done

    async def tidy(self, max_bytes: int) -> Tidied:
        tidied = await self._store.tidy(max_bytes)
        with forgiven(self._telemetry, "the end of archives"):
            await self._mirror.tidy(max_bytes)
        return tidied

    async def aclose(self) -> None:
        try:
            await self._store.aclose()
        finally:
            await self._mirror.aclose()

    async def _follow(self, channel: ChannelName, summary: str, at: datetime) -> None:
        """Let the mirror keep as many lines as the store has."""
        kept = (await self._store.stats(channel)).messages
        lines = (await self._mirror.stats(channel)).messages
        if lines <= kept:
            return
        # In the middle of a line's share, so that rounding takes none too few.
        backlog = await self._mirror.backlog(channel, (lines - kept + 0.5) / lines, 1)
        if backlog is not None:
            await self._mirror.compact(backlog, summary, at)
