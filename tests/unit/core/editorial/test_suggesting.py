"""Pharmacius proposes out of complaints, while nobody waits."""

import asyncio
from collections.abc import Callable

import pytest
from tests.support.editorial import ANNE, Room, editorial_room

from palabre.core.editorial.suggesting import PHARMACIUS, RETRY_AFTER_S, Suggester
from palabre.core.editorial.votes import Judgement
from palabre.kernel.errors import UpstreamError
from palabre.testing.models import Answer
from palabre.testing.telemetry import RecordingTelemetry

DRAFTED = '{"summary": "Tu parles peu."}'


async def until(happened: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not happened():  # noqa: ASYNC110 - what happens tells nobody
            await asyncio.sleep(0.001)


class Bench:
    def __init__(self, *answers: Answer | str) -> None:
        self.room: Room = editorial_room(*answers)
        self.busy = False
        self.telemetry = RecordingTelemetry()
        self.suggester = Suggester(
            self.room.desk,
            self.room.proposals,
            self.room.feedback,
            cast=lambda: self.room.written.cast,
            is_busy=lambda: self.busy,
            after=5,
            telemetry=self.telemetry,
            clock=self.room.clock,
            look_every_s=0.01,
        )

    async def complain(self, nick: str, times: int) -> None:
        self.room.clock.advance(1)
        for number in range(times):
            await self.room.opinions.judge(f"v{number}", nick, Judgement("down", "Non.", "q", "1"))


async def test_enough_complaints_make_a_proposal_that_is_not_applied() -> None:
    bench = Bench(DRAFTED)
    await bench.complain("Batty", 4)
    assert await bench.suggester.look() is None
    await bench.complain("Batty", 5)
    proposal = await bench.suggester.look()
    assert proposal
    assert (proposal.reason, proposal.after.summary) == ("pharmacius", "Tu parles peu.")
    assert not proposal.applied
    assert bench.room.ledger.book[-1].actor == PHARMACIUS
    assert (await bench.room.desk.persona("batty")).persona.summary == "Persona Batty"


async def test_old_complaints_do_not_count_twice() -> None:
    bench = Bench(DRAFTED)
    await bench.complain("Batty", 5)
    assert await bench.suggester.look()
    assert await bench.suggester.look() is None
    await bench.complain("Batty", 5)
    assert await bench.suggester.look()


async def test_who_is_complained_of_most_comes_first() -> None:
    bench = Bench(DRAFTED)
    await bench.complain("Batty", 5)
    await bench.complain("Isa", 6)
    proposals = [await bench.suggester.look() for _ in range(3)]
    assert [each and each.persona_id for each in proposals] == ["isa", "batty", None]


async def test_nothing_is_drafted_while_somebody_waits() -> None:
    bench = Bench(DRAFTED)
    await bench.complain("Batty", 5)
    bench.busy = True
    assert await bench.suggester.look() is None
    assert not bench.room.provider.requests


async def test_a_draft_is_given_up_as_soon_as_somebody_waits() -> None:
    gate = asyncio.Event()
    bench = Bench(Answer((DRAFTED,), gate=gate), DRAFTED)
    await bench.complain("Batty", 5)
    looking = asyncio.get_running_loop().create_task(bench.suggester.look())
    await until(lambda: bench.room.provider.open_calls == 1)
    bench.busy = True
    assert await looking is None
    assert bench.room.provider.closed_early == 1
    bench.busy = False
    assert await bench.suggester.look()


async def test_a_persona_whose_draft_failed_is_left_alone_for_a_while() -> None:
    bench = Bench(Answer((), error=UpstreamError(detail="500")), DRAFTED)
    await bench.complain("Batty", 5)
    assert await bench.suggester.look() is None
    assert await bench.suggester.look() is None
    assert len(bench.room.provider.requests) == 1
    bench.room.clock.advance(RETRY_AFTER_S + 1)
    assert await bench.suggester.look()


async def test_on_demand_one_complaint_is_enough() -> None:
    bench = Bench(DRAFTED)
    await bench.complain("Batty", 1)
    [proposal] = await bench.suggester.suggest(ANNE)
    assert (proposal.persona_id, bench.room.ledger.book[-1].actor) == ("batty", ANNE)
    assert await bench.suggester.suggest(ANNE) == []


async def test_on_demand_a_failing_model_is_told() -> None:
    bench = Bench(Answer((), error=UpstreamError(detail="500")))
    await bench.complain("Batty", 1)
    with pytest.raises(UpstreamError):
        await bench.suggester.suggest(ANNE)


async def test_it_goes_on_beside_until_cancelled() -> None:
    bench = Bench(DRAFTED)
    await bench.complain("Batty", 5)
    running = asyncio.get_running_loop().create_task(bench.suggester.run())
    await until(lambda: bench.telemetry.counts["suggestions", ""] == 1)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_what_was_dismissed_is_not_proposed_again_without_new_complaints() -> None:
    bench = Bench(DRAFTED)
    await bench.complain("Batty", 5)
    proposal = await bench.suggester.look()
    assert proposal
    await bench.room.desk.dismiss(ANNE, "batty", proposal.id)
    assert await bench.suggester.look() is None
    assert len(bench.room.provider.requests) == 1


async def test_what_another_process_proposed_meanwhile_is_not_proposed_twice() -> None:
    gate = asyncio.Event()
    bench = Bench(Answer((DRAFTED,), gate=gate))
    await bench.complain("Batty", 5)
    async with asyncio.TaskGroup() as tasks:
        looking = tasks.create_task(bench.suggester.look())
        await until(lambda: bool(bench.room.provider.requests))
        await bench.room.proposals.reinforce(PHARMACIUS, "batty", summary="Tu chuchotes.")
        gate.set()
    assert looking.result() is None
    assert len(await bench.room.proposals.of("batty")) == 1
