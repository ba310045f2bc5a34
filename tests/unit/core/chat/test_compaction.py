"""Summaries stand for what was said long ago; failures change nothing."""

import asyncio
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.support.turns import eventually

from palabre.core.chat.compaction import Compactor
from palabre.core.chat.compaction_rules import CompactionRules
from palabre.core.chat.model import Utterance
from palabre.core.models.model import ModelInfo
from palabre.core.models.registry import ModelRegistry
from palabre.kernel.errors import UpstreamError
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.clock import FrozenClock
from palabre.testing.ids import CountingIds
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.models import Answer, ScriptedProvider
from palabre.testing.telemetry import RecordingTelemetry

GENERAL, MUSIC = ChannelName("#general"), ChannelName("#musique")
TEN = datetime(2026, 3, 20, 10, tzinfo=UTC)
GOOD = "On parla longuement du décor, des planches, de la peinture et du samedi."
RULES = CompactionRules(file_bytes=1000, entries=10, summary_chars=500, model="qwen3:8b")
SLICE_TOKENS = 1500  # as much as MIN_SLICE_CHARS: two utterances of these tests


class Desk:
    def __init__(self, *answers: Answer | str, rules: CompactionRules = RULES) -> None:
        model = ModelInfo("ollama", "qwen3:8b", context_tokens=SLICE_TOKENS)
        self.provider = ScriptedProvider(*answers, name="ollama", models=(model,))
        self.store, self.telemetry = MemoryMessageStore(), RecordingTelemetry()
        self.clock = FrozenClock(TEN + timedelta(days=1))
        self.compactor = Compactor(
            store=self.store,
            models=ModelRegistry([self.provider], default_model="qwen3:8b", clock=self.clock),
            rules=rules,
            telemetry=self.telemetry,
            clock=self.clock,
            ids=CountingIds(),
        )

    async def fill(self, count: int = 20, channel: ChannelName = GENERAL) -> None:
        for number in range(count):
            words = f"mot{number} décor planches peinture samedi " + "x" * 700
            at = TEN + timedelta(seconds=number)
            await self.store.append(Utterance(at, channel, Nick("lea"), words))

    async def kept(self, channel: ChannelName = GENERAL) -> int:
        return (await self.store.stats(channel)).messages

    def counted(self, name: str) -> int:
        return self.telemetry.counts[name, ""]

    def asked(self) -> str:
        return "\n".join(request.messages[-1].content for request in self.provider.requests)


async def test_the_oldest_four_fifths_are_read_whole_and_summarised() -> None:
    desk = Desk(GOOD)
    await desk.fill()
    await desk.compactor.sweep()
    assert await desk.kept() == 4
    assert [len(part) for part in desk.store.archive] == [16]
    assert all(f"mot{number} " in desk.asked() for number in range(16))
    assert "mot16 " not in desk.asked()
    stats = await desk.store.stats(GENERAL)
    assert (stats.compacted_entries, stats.compactions) == (16, 1)
    assert stats.compacted_at == desk.clock.now()
    summary = (await desk.store.within(GENERAL, 100_000))[0].text
    assert summary.startswith("On parla")
    assert len(summary) <= RULES.summary_chars
    assert desk.counted("compactions") == 1


async def test_a_short_channel_is_left_alone() -> None:
    desk = Desk(GOOD)
    await desk.fill(9)
    await desk.fill(1, MUSIC)
    await desk.compactor.sweep()
    assert not desk.provider.requests
    assert (await desk.kept(), await desk.kept(MUSIC)) == (9, 1)


@pytest.mark.parametrize(
    "answer", [Answer((), error=UpstreamError(detail="down")), "", "Je ne peux pas."]
)
async def test_a_model_that_fails_or_writes_nonsense_costs_nothing(answer) -> None:
    desk = Desk(answer)
    await desk.fill()
    await desk.compactor.sweep()
    assert await desk.kept() == 20
    assert desk.store.archive == []
    assert (await desk.store.within(GENERAL, 100_000))[0].kind == "message"
    assert desk.counted("compactions_failed") == 1


async def test_a_failure_is_tried_again_later_and_later_from_where_it_stopped() -> None:
    down = Answer((), error=UpstreamError(detail="down"))
    desk = Desk(GOOD, down, down, GOOD)
    await desk.fill()
    await desk.compactor.sweep()
    assert len(desk.provider.requests) == 2
    await desk.compactor.sweep()
    assert len(desk.provider.requests) == 2
    desk.clock.advance(60)
    await desk.compactor.sweep()
    assert len(desk.provider.requests) == 3
    desk.clock.advance(60)
    await desk.compactor.sweep()
    assert len(desk.provider.requests) == 3
    desk.clock.advance(60)
    await desk.compactor.sweep()
    assert await desk.kept() == 4
    assert sum("mot0 " in request.messages[-1].content for request in desk.provider.requests) == 1


async def test_each_piece_is_followed_by_a_rest_for_those_who_wait() -> None:
    class Slow(FrozenClock):
        def monotonic(self) -> float:
            self.advance(0.01)
            return super().monotonic()

    async def took_s(rest: float) -> float:
        desk = Desk(GOOD, rules=replace(RULES, rest=rest))
        desk.compactor._clock = Slow(TEN)
        await desk.fill()
        started_s = time.monotonic()
        await desk.compactor.sweep()
        assert await desk.kept() == 4
        return time.monotonic() - started_s

    rested_s = await took_s(5)
    assert rested_s >= 8 * 5 * 0.01
    assert min([await took_s(0) for _ in range(3)]) < rested_s


async def test_what_is_said_meanwhile_stays() -> None:
    gate = asyncio.Event()
    desk = Desk(Answer((GOOD,), gate=gate))
    await desk.fill()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(desk.compactor.sweep())
        await eventually(lambda: desk.provider.open_calls)
        await desk.fill(3)
        gate.set()
    assert await desk.kept() == 7


async def test_the_next_summary_takes_the_last_one_in() -> None:
    desk = Desk("Premier résumé du décor, des planches et de la peinture.")
    await desk.fill()
    await desk.compactor.sweep()
    desk.provider.script(GOOD)
    await desk.fill()
    await desk.compactor.sweep()
    assert (await desk.store.stats(GENERAL)).compactions == 2
    assert "Premier résumé" in desk.asked()


async def test_a_summary_that_stays_too_long_is_cut_at_a_sentence() -> None:
    desk = Desk(" ".join([GOOD] * 20))
    await desk.fill()
    await desk.compactor.sweep()
    summary = (await desk.store.within(GENERAL, 100_000))[0].text
    assert len(summary) <= RULES.summary_chars
    assert summary.startswith("On parla")
    assert await desk.kept() == 4


async def test_one_channel_that_fails_keeps_no_other_waiting() -> None:
    desk = Desk(Answer((), error=UpstreamError(detail="down")), GOOD)
    await desk.fill()
    await desk.fill(channel=MUSIC)
    await desk.compactor.sweep()
    assert (await desk.kept(), await desk.kept(MUSIC)) == (20, 4)


async def test_live_words_beyond_the_limit_are_told_once_and_never_deleted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk = Desk(GOOD, rules=CompactionRules(file_bytes=10**9, total_bytes=1000, model="qwen3:8b"))
    await desk.fill()
    for _ in range(2):
        await desk.compactor.sweep()
    assert caplog.text.count("nothing is deleted") == 1
    assert await desk.kept() == 20
    assert desk.telemetry.gauges["context_bytes"] > 1000


async def test_archives_are_counted_as_they_go() -> None:
    desk = Desk(GOOD, rules=replace(RULES, total_bytes=5000))
    await desk.fill()
    await desk.compactor.sweep()
    assert desk.counted("archives_deleted") == 1
    assert desk.store.archive == []
    assert await desk.kept() == 4


async def test_a_fault_of_ours_does_not_end_the_looking(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Faulty(MemoryMessageStore):
        looks = 0

        async def grown(self, size_bytes: int) -> list[ChannelName]:
            self.looks += 1
            raise ZeroDivisionError

    desk = Desk(rules=CompactionRules(every_s=0.001))
    store = desk.compactor._store = Faulty()
    async with asyncio.TaskGroup() as tasks:
        looking = tasks.create_task(desk.compactor.run())
        await eventually(lambda: store.looks >= 2)
        looking.cancel()
    assert "ZeroDivisionError" in caplog.text
    assert desk.counted("compactions_failed") >= 1


async def test_nothing_is_looked_at_where_that_is_switched_off() -> None:
    desk = Desk(rules=CompactionRules(enabled=False, every_s=0))
    async with asyncio.timeout(30):
        await desk.compactor.run()
