"""Long work: how much of it, that it can be stopped, and that its faults end nothing else."""

import asyncio
import logging

import pytest

from palabre.core.chat.jobs import MAX_JOBS, Jobs, TooManyJobsError
from palabre.core.chat.members import Member
from palabre.core.chat.model import NoticeGiven
from palabre.kernel.errors import StorageError
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.ids import CountingIds
from palabre.testing.sinks import RecordingSink


def somebody(nick: str) -> Member:
    return Member(Nick(nick), ChannelName("#here"), RecordingSink())


class Told:
    """Notes what is told to whom."""

    def __init__(self) -> None:
        self.notices: list[tuple[Member, NoticeGiven]] = []

    def __call__(self, member: Member, notice: NoticeGiven) -> None:
        self.notices.append((member, notice))


def jobs_in(tasks: asyncio.TaskGroup, told: Told | None = None) -> Jobs:
    return Jobs(tasks, told or Told(), CountingIds())


async def for_ever() -> None:
    await asyncio.Event().wait()


async def failing(error: Exception) -> None:
    raise error


async def test_each_person_has_a_few_jobs_at_once() -> None:
    async with asyncio.TaskGroup() as tasks:
        jobs, ana, bob = jobs_in(tasks), somebody("ana"), somebody("bob")
        for _ in range(MAX_JOBS):
            jobs.start(ana, for_ever())
        with pytest.raises(TooManyJobsError):
            jobs.start(ana, for_ever())
        jobs.start(bob, for_ever())
        await jobs.aclose()


async def test_stopping_ends_the_jobs_of_that_person_alone() -> None:
    async with asyncio.TaskGroup() as tasks:
        jobs, ana, bob = jobs_in(tasks), somebody("ana"), somebody("bob")
        mine, theirs = jobs.start(ana, for_ever()), jobs.start(bob, for_ever())
        assert jobs.stop(ana) == 1
        await asyncio.wait([mine])
        assert (mine.cancelled(), theirs.done()) == (True, False)
        assert jobs.stop(ana) == 0
        await jobs.aclose()


async def test_a_fault_in_a_job_ends_no_other_and_has_a_reference(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Before, one in a search ended the whole program."""
    told, ana = Told(), somebody("ana")
    async with asyncio.TaskGroup() as tasks:
        jobs = jobs_in(tasks, told)
        other = jobs.start(ana, for_ever())
        with caplog.at_level(logging.ERROR):
            await jobs.start(ana, failing(ZeroDivisionError()))
        assert not other.done()
        await jobs.aclose()
    ((whom, notice),) = told.notices
    (record,) = caplog.records
    assert whom is ana
    assert notice.text.data["reference"] == record.reference  # type: ignore[attr-defined]


async def test_what_was_foreseen_is_told_in_its_own_words() -> None:
    told, ana = Told(), somebody("ana")
    error = StorageError(detail="full")
    async with asyncio.TaskGroup() as tasks:
        await jobs_in(tasks, told).start(ana, failing(error))
    assert told.notices == [(ana, NoticeGiven(error.text))]
