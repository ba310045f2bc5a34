import asyncio

import pytest

from palabre.core.models.errors import ModelBusyError
from palabre.core.models.slots import CallSlots


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def takes_a_call_at_once(slots: CallSlots) -> None:
    async with asyncio.timeout(30), slots.hold():
        pass


class Caller:
    """Holds a slot until told to let go, and notes when it got it."""

    def __init__(self, slots: CallSlots, who: str, started: list[str], label: str = "") -> None:
        self.release = asyncio.Event()
        self.task = asyncio.create_task(self._run(slots, who, started, label or who))

    async def _run(self, slots: CallSlots, who: str, started: list[str], label: str) -> None:
        async with slots.hold(who):
            started.append(label)
            await self.release.wait()


async def test_no_more_than_the_limit_run_at_once():
    slots, started = CallSlots(2, 10), []
    callers = [Caller(slots, f"#{n}", started) for n in range(5)]
    await settle()
    assert (slots.waiting, started) == (3, ["#0", "#1"])
    for caller in callers:
        caller.release.set()
    await asyncio.gather(*(caller.task for caller in callers))
    assert slots.waiting == 0
    assert started == ["#0", "#1", "#2", "#3", "#4"]


async def test_a_quiet_channel_does_not_wait_behind_all_of_a_busy_one():
    slots, started = CallSlots(1, 10), []
    busy = [Caller(slots, "#busy", started, f"busy{n}") for n in range(4)]
    await settle()
    quiet = Caller(slots, "#quiet", started, "quiet")
    await settle()
    for caller in (*busy, quiet):
        caller.release.set()
    await asyncio.gather(*(caller.task for caller in (*busy, quiet)))
    assert started == ["busy0", "busy1", "quiet", "busy2", "busy3"]


async def test_a_full_waiting_line_refuses_one_more():
    slots, started = CallSlots(1, 1), []
    callers = [Caller(slots, "#a", started) for _ in range(2)]
    await settle()
    with pytest.raises(ModelBusyError) as refused:
        async with slots.hold("#b"):
            pass
    assert refused.value.data["waiting"] == 1
    for caller in callers:
        caller.release.set()
        await caller.task
    await takes_a_call_at_once(slots)


async def test_a_cancelled_waiter_frees_its_place_in_the_line_at_once():
    slots, started = CallSlots(1, 1), []
    first, second = (Caller(slots, "#a", started, label) for label in ("first", "second"))
    await settle()
    second.task.cancel()
    await settle()
    assert slots.waiting == 0
    third = Caller(slots, "#a", started, "third")
    await settle()
    assert slots.waiting == 1
    for caller in (first, third):
        caller.release.set()
        await caller.task
    assert started == ["first", "third"]


async def test_a_waiter_cancelled_in_the_moment_of_its_turn_passes_the_place_on():
    slots, started = CallSlots(1, 5), []
    first, second, third = (Caller(slots, "#a", started, label) for label in "123")
    await settle()
    first.release.set()
    first.task.add_done_callback(lambda _: second.task.cancel())
    third.release.set()
    await asyncio.wait_for(third.task, 30)
    await asyncio.gather(second.task, return_exceptions=True)
    assert started[-1] == "3"
    await takes_a_call_at_once(slots)


async def test_a_call_that_fails_gives_its_place_back():
    slots = CallSlots(1, 1)
    with pytest.raises(ZeroDivisionError):
        async with slots.hold():
            raise ZeroDivisionError
    await takes_a_call_at_once(slots)
