"""Long work that people ask for besides answers: reading a file, making a picture."""

import asyncio
import logging
from asyncio import Task, TaskGroup
from collections.abc import Callable, Coroutine

from palabre.core.chat.members import Member
from palabre.core.chat.model import NoticeGiven
from palabre.kernel.errors import PalabreError, UserError
from palabre.kernel.ids import Ids
from palabre.kernel.text import text

MAX_JOBS = 4
"""Of one person at once."""

_log = logging.getLogger(__name__)


class TooManyJobsError(UserError):
    """Too much runs for this person already: `data["running"]`."""

    code = "too_many_jobs"


class Jobs:
    """Runs work in the program's task group: it outlives nobody's patience, `/stop` ends it."""

    def __init__(
        self, tasks: TaskGroup, tell: Callable[[Member, NoticeGiven], None], ids: Ids
    ) -> None:
        self._tasks = tasks
        self._tell = tell
        self._ids = ids
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
        """Let *work* go on for *member*, who is told what goes wrong.

        Raises:
            TooManyJobsError: `MAX_JOBS` run for this member; *work* is closed.
        """
        try:
            self.require_room(member)
        except TooManyJobsError:
            work.close()
            raise
        task = self._tasks.create_task(self._do(member, work))
        self._running[task] = member
        task.add_done_callback(self._running.pop)
        task.add_done_callback(lambda _done: work.close())  # it may never have begun
        return task

    async def _do(self, member: Member, work: Coroutine[None, None, None]) -> None:
        try:
            await work
        except PalabreError as error:
            self._tell(member, NoticeGiven(error.text))
        except Exception:  # noqa: BLE001  outermost loop of a job: the rooms go on
            reference = self._ids.new("error")
            _log.exception("job failed", extra={"reference": reference})
            self._tell(member, NoticeGiven(text("room.fault", reference=reference)))

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
