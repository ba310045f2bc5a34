import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from tests.support.turns import turns

from palabre.core.memory.keeper import MAX_TRIES, MAX_WINDOWS, MemoryKeeper
from palabre.core.memory.model import Exchange, MemoryPolicy
from palabre.core.memory.revising import emptied
from palabre.core.models.registry import ModelRegistry
from palabre.kernel.errors import UpstreamError
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.clock import FrozenClock
from palabre.testing.ids import CountingIds
from palabre.testing.memories import StaticMemoryStore
from palabre.testing.models import Answer, ScriptedProvider
from palabre.testing.personas import a_persona
from palabre.testing.telemetry import RecordingTelemetry

BATTY, CAGE = a_persona("Batty"), a_persona("Cage")
LESSON = '{"facts": ["lea aime la pluie"], "summary": "La pluie"}'
POLICY = MemoryPolicy(update_every=2, window=3)


@dataclass
class Desk:
    keeper: MemoryKeeper
    provider: ScriptedProvider
    store: StaticMemoryStore
    telemetry: RecordingTelemetry
    clock: FrozenClock
    said: int = field(default=0)

    def talk(self, count: int = 2, persona=BATTY) -> None:
        for _ in range(count):
            self.said += 1
            self.clock.advance(1)
            words = f"{self.said} J'aime la pluie"
            self.keeper.note(
                persona,
                Exchange(Nick("lea"), ChannelName("#general"), self.clock.now(), words, "Ah."),
            )

    async def until(self, what: str, count: int = 1) -> None:
        async with asyncio.timeout(30):
            while self.telemetry.counts[what, ""] < count:  # noqa: ASYNC110 - it has no event
                await asyncio.sleep(0.001)

    async def facts(self, persona=BATTY) -> tuple[str, ...]:
        return (await self.store.recall(persona.id, persona.nick)).facts

    def asked(self) -> list[str]:
        return [request.messages[-1].content for request in self.provider.requests]


@asynccontextmanager
async def desk(*answers: Answer | str, policy: MemoryPolicy = POLICY) -> AsyncIterator[Desk]:
    provider = ScriptedProvider(*answers, name="ollama", models=("qwen3:8b",))
    clock, store, telemetry = FrozenClock(), StaticMemoryStore(), RecordingTelemetry()
    async with asyncio.TaskGroup() as tasks:
        keeper = MemoryKeeper(
            tasks=tasks,
            store=store,
            models=ModelRegistry([provider], default_model="qwen3:8b", clock=clock),
            policy=policy,
            telemetry=telemetry,
            clock=clock,
            ids=CountingIds(),
        )
        yield Desk(keeper, provider, store, telemetry, clock)
        await keeper.aclose()


async def test_every_few_exchanges_a_persona_learns_from_the_latest() -> None:
    async with desk(LESSON) as place:
        place.talk(1)
        await turns()
        assert not place.provider.requests
        place.talk(1)
        await place.until("memory_updates")
        assert await place.facts() == ("lea aime la pluie",)
        place.talk(2)
        await place.until("memory_updates", 2)
        assert [line.count("J'aime") for line in place.asked()] == [2, 3]


async def test_personas_count_and_learn_for_themselves() -> None:
    async with desk(LESSON) as place:
        place.talk(1, BATTY)
        place.talk(1, CAGE)
        await turns()
        assert not place.provider.requests
        place.talk(1, CAGE)
        await place.until("memory_updates")
        assert await place.facts(CAGE)
        assert not await place.facts(BATTY)


async def test_noting_never_waits_and_one_window_is_read_after_the_other() -> None:
    gate = asyncio.Event()
    async with desk(Answer((LESSON,), gate=gate)) as place:
        place.talk(4)
        await turns()
        assert place.provider.open_calls == 1
        gate.set()
        await place.until("memory_updates", 2)
        assert ["2 J" in asked for asked in place.asked()] == [True, True]
        assert ["4 J" in asked for asked in place.asked()] == [False, True]


async def test_what_a_failing_model_did_not_read_is_read_with_the_next_window() -> None:
    down = Answer((), error=UpstreamError(detail="down"))
    async with desk(down, LESSON) as place:
        place.talk(2)
        await place.until("memory_failures")
        assert await place.facts() == ()
        place.talk(2)
        await place.until("memory_updates", 2)
        assert "1 J" in place.asked()[1]


async def test_windows_that_wait_are_few() -> None:
    async with desk(Answer((), error=UpstreamError(detail="down"))) as place:
        for turn in range(MAX_WINDOWS + 2):
            place.talk(2)
            await place.until("memory_failures", turn + 1)
        assert place.telemetry.counts["memory_windows_dropped", ""] == 2


async def test_a_window_that_only_brings_nonsense_is_given_up() -> None:
    async with desk(*["Je ne sais pas."] * MAX_TRIES, LESSON) as place:
        for turn in range(1, MAX_TRIES):
            place.talk(2)
            await place.until("memory_failures", turn)
        place.talk(2)
        await place.until("memory_windows_dropped")
        await place.until("memory_updates", 2)
        assert await place.facts() == ("lea aime la pluie",)


async def test_a_store_that_refuses_is_asked_again() -> None:
    async with desk(LESSON) as place:
        place.store.refusal = "disk full"
        place.talk(2)
        await place.until("memory_failures")
        place.store.refusal = None
        place.talk(2)
        await place.until("memory_updates", 2)


async def test_what_somebody_has_forgotten_meanwhile_is_not_learnt() -> None:
    gate = asyncio.Event()
    async with desk(Answer((LESSON,), gate=gate)) as place:
        place.talk(2)
        await turns()
        now = place.clock.now() + timedelta(seconds=1)
        await place.store.revise(BATTY.id, BATTY.nick, lambda record: emptied(record, now))
        gate.set()
        await place.until("memory_updates")
        assert await place.facts() == ()
        place.clock.advance(-1)
        place.talk(2)
        await turns()
        assert len(place.provider.requests) == 1


@pytest.mark.parametrize("ahead", [timedelta(minutes=10), timedelta(days=9000)])
async def test_a_clock_that_was_ahead_when_something_was_forgotten_stops_no_learning(
    ahead: timedelta,
) -> None:
    """What was said before is still not learnt: nobody can tell whether it was forgotten."""
    async with desk(LESSON, LESSON) as place:
        future = place.clock.now() + ahead
        await place.store.revise(BATTY.id, BATTY.nick, lambda record: emptied(record, future))
        place.talk(2)
        await turns()
        assert not place.provider.requests
        place.talk(2)
        await place.until("memory_updates")
        assert await place.facts() == ("lea aime la pluie",)
        assert ": 3 J'aime" in place.asked()[0]
        assert ": 2 J'aime" not in place.asked()[0]
        record = await place.store.record(BATTY.id, BATTY.nick)
        assert record.forgotten_at is not None
        assert record.updated_at is not None
        assert record.forgotten_at < record.updated_at <= place.clock.now()


async def test_what_was_said_before_the_clock_went_back_is_not_learnt_once_something_is_forgotten() -> (
    None
):
    async with desk(LESSON, LESSON) as place:
        place.talk(1)
        await place.store.revise(
            BATTY.id, BATTY.nick, lambda record: emptied(record, place.clock.now())
        )
        place.clock.advance(-100)
        place.talk(3)
        await turns()
        place.talk(2)
        await place.until("memory_updates")
        assert ": 5 J'aime" in place.asked()[-1]
        assert not any(": 1 J'aime" in asked for asked in place.asked())


async def test_a_fault_of_ours_ends_no_room(caplog: pytest.LogCaptureFixture) -> None:
    class Faulty(StaticMemoryStore):
        async def record(self, persona, nick):
            raise ZeroDivisionError

    async with desk(LESSON) as place:
        place.keeper._store = Faulty()
        place.talk(2)
        await place.until("memory_failures")
    assert "ZeroDivisionError" in caplog.text


async def test_nobody_learns_where_that_is_switched_off() -> None:
    async with desk(LESSON, policy=MemoryPolicy(enabled=False, update_every=1)) as place:
        place.talk(9)
        await turns()
        assert not place.provider.requests


async def test_the_end_of_the_program_waits_for_no_lesson() -> None:
    async with desk(Answer((LESSON,), gate=asyncio.Event())) as place:
        place.talk(2)
        await turns()
        async with asyncio.timeout(30):
            await place.keeper.aclose()
        assert place.provider.open_calls == 0
