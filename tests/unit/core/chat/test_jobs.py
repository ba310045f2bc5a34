import asyncio

import pytest

from palabre.core.chat.jobs import MAX_JOBS, Jobs, TooManyJobsError
from palabre.core.chat.members import Member
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.sinks import RecordingSink


def somebody(nick: str) -> Member:
    return Member(Nick(nick), ChannelName("#here"), RecordingSink())


async def for_ever() -> None:
    await asyncio.Event().wait()


async def test_each_person_has_a_few_jobs_at_once() -> None:
    async with asyncio.TaskGroup() as tasks:
        jobs, ana, bob = Jobs(tasks), somebody("ana"), somebody("bob")
        for _ in range(MAX_JOBS):
            jobs.start(ana, for_ever())
        with pytest.raises(TooManyJobsError):
            jobs.start(ana, for_ever())
        jobs.start(bob, for_ever())
        await jobs.aclose()


async def test_stopping_ends_the_jobs_of_that_person_alone() -> None:
    async with asyncio.TaskGroup() as tasks:
        jobs, ana, bob = Jobs(tasks), somebody("ana"), somebody("bob")
        mine, theirs = jobs.start(ana, for_ever()), jobs.start(bob, for_ever())
        assert jobs.stop(ana) == 1
        await asyncio.wait([mine])
        assert (mine.cancelled(), theirs.done()) == (True, False)
        assert jobs.stop(ana) == 0
        await jobs.aclose()
