"""Long work that people ask for besides answers: reading a file, making a picture."""

import asyncio
from asyncio import Task, TaskGroup
from collections.abc import Coroutine

from palabre.core.chat.members import Member
from palabre.kernel.errors import UserError

MAX_JOBS = 4
"""Of one person at once."""


class TooManyJobsError(UserError):
    """Too much runs for this person already: `data["running"]`."""

    code = "too_many_jobs"


class Jobs:
    """Runs work in the program's task group: it outlives nobody's patience, `/stop` ends it."""

    def __init__(self, tasks: TaskGroup) -> None:
        self._tasks = tasks
        self._running: dict[Task[None], Member] = {}

    def require_room(self, member: Member) -> None:
        """Do nothing unless as many jobs as may be run for *member*.

        Raises:
            TooManyJobsError: They do.
        """
        running = sum(1 for each in self._running.values() if each is member)
        if running >= MAX_JOBS:
            raise TooManyJobsError(running=running)

    def start(self, member: Member, work: Coroutine[None, None, None]) -> Task[None]:
        """Let *work* go on for *member*; its errors are its own to tell.

        Raises:
            TooManyJobsError: `MAX_JOBS` run for this member; *work* is closed.
        """
        try:
            self.require_room(member)
        except TooManyJobsError:
            work.close()
            raise
        task = self._tasks.create_task(work)
        self._running[task] = member
        task.add_done_callback(self._running.pop)
        return task

    def stop(self, member: Member) -> int:
        """Break off the work of *member*; return how many."""
        mine = [task for task, each in self._running.items() if each is member]
        for task in mine:
            task.cancel()
        return len(mine)

    async def aclose(self) -> None:
        """Break off everything: the program ends."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
