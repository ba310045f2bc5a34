"""The parent's side of `worker_program`."""

import logging
import os
import signal
import sys
from asyncio import IncompleteReadError, create_subprocess_exec, timeout
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from typing import Self

import msgspec

from palabre.adapters.media.job import (
    LENGTH,
    MAX_ANSWER_BYTES,
    TAKEN,
    Failed,
    Found,
    Job,
    answer_of,
    to_frame,
)
from palabre.core.media.errors import FileUnreadableError
from palabre.kernel.errors import UpstreamError

MODULE = "palabre.adapters.media.worker_program"
_MIB = 1024 * 1024
_PIECE_BYTES = 256 * 1024
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
_log = logging.getLogger(__name__)


class LostWorkerError(UpstreamError):
    """A worker ended before it had a file, or never began: `data["detail"]`."""


class Worker:
    """A process that waits for one job, or does it. It never does a second one."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @classmethod
    async def start(cls) -> Self:
        """Start one. It gets nothing of our environment.

        Raises:
            UpstreamError: The system has no process left.
        """
        environment = {**_ONE_THREAD, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        try:
            process = await create_subprocess_exec(
                *(sys.executable, "-B", "-P", "-s", "-X", "utf8", "-m", MODULE, str(os.getpid())),
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
                cwd="/",
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise UpstreamError(detail=error.strerror or type(error).__name__) from error
        return cls(process)

    @property
    def is_alive(self) -> bool:
        """Whether it still runs, as far as the event loop heard."""
        return self._process.returncode is None

    async def do(self, job: Job) -> Found:
        """Have *job* done, and end the process whatever comes of it.

        Raises:
            FileUnreadableError: The file cannot be read within the job's limits.
            LostWorkerError: It ended before it saw the file, whose fault it cannot be.
        """
        try:
            async with timeout(job.limits.wall_s):
                found = await self._answer(job)
        except TimeoutError:
            raise _out_of_time(job.limits.wall_s) from None
        finally:
            await self.stop()
        if isinstance(found, Found):
            return found
        _log.info("a file of form %s is not read: %s %s", job.form, found.reason, found.detail)
        raise FileUnreadableError(found.reason, **found.data)

    async def stop(self) -> None:
        """End it and all that it started, at once."""
        if self.is_alive:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()

    async def _answer(self, job: Job) -> Found | Failed:
        try:
            await self._hand_over(to_frame(job))
            return answer_of(await self._payload())
        except IncompleteReadError:
            raise _end_of(await self._process.wait(), job) from None
        except msgspec.DecodeError:
            raise _hostile(job, "nonsense") from None

    async def _hand_over(self, frame: bytes) -> None:
        """Give the worker its job, and wait until it says that it has all of it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            for start in range(0, len(frame), _PIECE_BYTES):
                self._process.stdin.write(frame[start : start + _PIECE_BYTES])
                await self._process.stdin.drain()
            await self._process.stdout.readexactly(len(TAKEN))
        except (IncompleteReadError, ConnectionError):
            raise LostWorkerError(detail=f"exit code {await self._process.wait()}") from None

    async def _payload(self) -> bytes:
        assert self._process.stdout is not None
        head = await self._process.stdout.readexactly(LENGTH.size)
        size: int = LENGTH.unpack(head)[0]
        if size > MAX_ANSWER_BYTES:
            raise msgspec.DecodeError
        return await self._process.stdout.readexactly(size)


def _end_of(code: int, job: Job) -> FileUnreadableError:
    """Return what a worker's end without an answer means."""
    if code == -signal.SIGXCPU:
        return _out_of_time(job.limits.cpu_s)
    return _hostile(job, f"exit code {code}")


def _out_of_time(limit_s: float) -> FileUnreadableError:
    return FileUnreadableError("file_reason.time", limit_s=round(limit_s))


def _hostile(job: Job, detail: str) -> FileUnreadableError:
    _log.warning("a file of form %s felled its worker: %s", job.form, detail)
    return FileUnreadableError("file_reason.hostile", limit_mb=job.limits.memory_bytes // _MIB)
