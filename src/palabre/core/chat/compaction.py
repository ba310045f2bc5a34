"""Let summaries stand for what was said long ago, and lose nothing by it."""

import asyncio
import logging
from dataclasses import dataclass, field

from palabre.core.chat.compaction_rules import CompactionRules
from palabre.core.chat.errors import SummaryUnusableError
from palabre.core.chat.model import Backlog
from palabre.core.chat.ports import SummarisedContext
from palabre.core.chat.summaries import (
    newest_sentences,
    read_summary,
    slice_chars,
    summary_request,
    transcript,
)
from palabre.core.models.model import ResolvedModel
from palabre.core.models.registry import ModelRegistry
from palabre.core.telemetry.ports import Telemetry
from palabre.kernel.clock import Clock, whole_ms
from palabre.kernel.errors import PalabreError
from palabre.kernel.ids import ChannelName, Ids

SLICE_TIMEOUT_S = 180.0
MAX_SUMMARY_ANSWER_CHARS = 20_000
FIRST_PAUSE_S, LONGEST_PAUSE_S = 60.0, 3600.0
MAX_ROUNDS = 4
"""Times that summaries are summarised until they are short enough."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Draft:
    """How far the summary of a backlog is; lost when the program ends."""

    backlog: Backlog
    position: int = 0
    parts: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Pause:
    failures: int
    until_s: float


class Compactor:
    """Looks at the contexts now and then; summarises one channel at a time, slice by slice.

    Where a model fails or writes nonsense nothing changes, and it goes on from there later.
    """

    def __init__(
        self,
        *,
        store: SummarisedContext,
        models: ModelRegistry,
        rules: CompactionRules,
        telemetry: Telemetry,
        clock: Clock,
        ids: Ids,
    ) -> None:
        self._store = store
        self._models = models
        self._rules = rules
        self._telemetry = telemetry
        self._clock = clock
        self._ids = ids
        self._drafts: dict[ChannelName, _Draft] = {}
        self._pauses: dict[ChannelName, _Pause] = {}
        self._is_over = False

    async def run(self) -> None:
        """Look for ever, until cancelled."""
        while self._rules.enabled:
            await asyncio.sleep(self._rules.every_s)
            try:
                await self.sweep()
            except PalabreError as error:
                _log.warning("contexts cannot be looked at: %r", error)
            except Exception:  # noqa: BLE001 - outermost loop: the rooms go on
                self._telemetry.count("compactions_failed")
                _log.exception("compaction failed", extra={"reference": self._ids.new("error")})

    async def sweep(self) -> None:
        """Summarise what has grown too long, and delete the oldest archives that are too much.

        Raises:
            StorageError: The contexts cannot be looked at.
        """
        for channel in await self._store.grown(self._rules.file_bytes):
            pause = self._pauses.get(channel)
            if pause is None or self._clock.monotonic() >= pause.until_s:
                await self._try(channel)
        await self._tidy()

    async def _try(self, channel: ChannelName) -> None:
        try:
            done = await self._compact(channel)
        except PalabreError as error:
            self._telemetry.count("compactions_failed")
            pause_s = self._pause(channel)
            _log.warning("%s is not summarised, next try in %.0f s: %r", channel, pause_s, error)
            return
        self._pauses.pop(channel, None)
        if done:
            self._telemetry.count("compactions")

    def _pause(self, channel: ChannelName) -> float:
        failures = self._pauses[channel].failures + 1 if channel in self._pauses else 1
        pause_s = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * float(1 << min(failures - 1, 10)))
        self._pauses[channel] = _Pause(failures, self._clock.monotonic() + pause_s)
        return pause_s

    async def _compact(self, channel: ChannelName) -> bool:
        """Summarise *channel* if it is long enough; say whether that was done."""
        draft = self._drafts.get(channel) or await self._begin(channel)
        if draft is None:
            return False
        resolved = await self._models.resolve(self._rules.model)
        while draft.position < draft.backlog.end:
            await self._read_on(draft, resolved)
        summary = await self._joined(draft, resolved)
        now = whole_ms(self._clock.now())
        done = bool(summary) and await self._store.compact(draft.backlog, summary, now)
        del self._drafts[channel]
        return done

    async def _begin(self, channel: ChannelName) -> _Draft | None:
        rules = self._rules
        backlog = await self._store.backlog(channel, rules.share, rules.entries)
        if backlog is None:
            return None
        draft = self._drafts[channel] = _Draft(backlog)
        return draft

    async def _read_on(self, draft: _Draft, resolved: ResolvedModel) -> None:
        said, position = await self._store.passage(
            draft.backlog, draft.position, slice_chars(resolved.info)
        )
        if said:
            started_s = self._clock.monotonic()
            draft.parts.append(await self._summary(transcript(said), resolved))
            await asyncio.sleep(self._rules.rest * (self._clock.monotonic() - started_s))
        draft.position = position

    async def _joined(self, draft: _Draft, resolved: ResolvedModel) -> str:
        parts = [part for part in (draft.backlog.summary, *draft.parts) if part]
        for _ in range(MAX_ROUNDS):
            if len("\n".join(parts)) <= self._rules.summary_chars or len(parts) == 1:
                break
            groups = _grouped(parts, slice_chars(resolved.info))
            parts = [await self._shorter(group, resolved) for group in groups]
        return newest_sentences("\n".join(parts), self._rules.summary_chars)

    async def _shorter(self, group: str, resolved: ResolvedModel) -> str:
        try:
            return await self._summary(group, resolved)
        except SummaryUnusableError:  # its sentences are summaries already
            return newest_sentences(group, max(1, self._rules.summary_chars // 4))

    async def _summary(self, words: str, resolved: ResolvedModel) -> str:
        request = summary_request(resolved.info, words)
        answer = await self._models.answer(
            resolved, request, max_chars=MAX_SUMMARY_ANSWER_CHARS, timeout_s=SLICE_TIMEOUT_S
        )
        summary = read_summary(answer, words)
        if summary is None:
            raise SummaryUnusableError
        return summary

    async def _tidy(self) -> None:
        found = await self._store.tidy(self._rules.total_bytes)
        for _ in range(found.deleted):
            self._telemetry.count("archives_deleted")
        self._telemetry.set("context_bytes", found.size_bytes)
        is_over = found.size_bytes > self._rules.total_bytes
        if is_over and not self._is_over:
            most = self._rules.total_bytes
            _log.warning(
                "contexts take %d bytes, more than the %d that they should: nothing is deleted, "
                "raise context.total_mb or move channels away",
                found.size_bytes,
                most,
            )
        self._is_over = is_over


def _grouped(parts: list[str], max_chars: int) -> list[str]:
    """Join neighbours of *parts* as long as they are no longer than *max_chars* together."""
    groups: list[str] = []
    for part in parts:
        if groups and len(groups[-1]) + 1 + len(part) <= max_chars:
            groups[-1] = f"{groups[-1]}\n{part}"
        else:
            groups.append(part)
    return groups
