"""The thread that writes what is said: all that has come meanwhile in one transaction."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread

from sqlalchemy.exc import DataError, DBAPIError

from palabre.adapters.storage.errors import storage_error
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.rooms.said import Said
from palabre.adapters.storage.sql.rooms.writing import write
from palabre.kernel.errors import StorageError

MAX_BATCH = 512
_TOO_MUCH = "54"
"""Class of Postgres's states for a value that is more than it can take."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Append:
    """One utterance on its way; *fault* is why it was not kept."""

    said: Said
    done: asyncio.Future[None]
    fault: Exception | None = None


class AppendThread:
    """Writes appends in the order of their coming, and hands each batch back to the event loop.

    Whoever waits for one and is cancelled takes nothing from the others of its transaction.
    """

    def __init__(
        self,
        database: Database,
        loop: asyncio.AbstractEventLoop,
        settle: Callable[[Sequence[Append]], None],
    ) -> None:
        """Start the thread, which closes *database*.

        *settle* is called in *loop* with each batch, kept or not.
        """
        self._database = database
        self._loop = loop
        self._settle = settle
        self._queue: SimpleQueue[Append | None] = SimpleQueue()
        self._thread = Thread(target=self._run, name="palabre-append", daemon=True)
        self._thread.start()

    def put(self, append: Append) -> None:
        """Have *append* written; it comes back through `settle`."""
        self._queue.put(append)

    def close(self) -> None:
        """Write what is left and end the thread; waits for it."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        with asyncio.Runner() as runner:
            running = True
            while running:
                batch = self._take()
                running = None not in batch
                appends = [each for each in batch if each is not None]
                if appends:
                    runner.run(self._keep(appends))
                    with suppress(RuntimeError):  # the event loop is closed: nobody waits any more
                        self._loop.call_soon_threadsafe(self._settle, appends)
            runner.run(self._database.aclose())

    def _take(self) -> list[Append | None]:
        batch = [self._queue.get()]
        while len(batch) < MAX_BATCH and not self._queue.empty():
            batch.append(self._queue.get())
        return batch

    async def _keep(self, appends: Sequence[Append]) -> None:
        try:
            async with self._database.writing() as connection:
                await write(connection, [each.said for each in appends])
        except Exception as fault:  # noqa: BLE001 - outermost loop of the thread
            if len(appends) > 1 and _is_of_one(fault):
                for each in appends:
                    await self._keep([each])
                return
            if not isinstance(fault, StorageError):
                _log.exception("appends failed")
            for each in appends:
                each.fault = fault


def resolve(append: Append) -> None:
    """Tell whoever waits for *append*."""
    if append.done.done():
        return
    if append.fault is None:
        append.done.set_result(None)
    else:
        append.done.set_exception(storage_error(append.fault))


def _is_of_one(fault: Exception) -> bool:
    """Say whether the database refused a value, and not everything."""
    cause = fault.__cause__
    if isinstance(cause, DataError):
        return True
    state = getattr(cause.orig, "sqlstate", None) if isinstance(cause, DBAPIError) else None
    return str(state).startswith(_TOO_MUCH)
