"""The parent's side of `child_loop`: an engine in a process of its own, restarted when it dies."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process

from palabre.adapters.speech.child_loop import LENGTH
from palabre.core.models.errors import CutAnswerError, OddAnswerError
from palabre.core.speech.errors import NothingToSayError
from palabre.kernel.errors import UpstreamError

MAX_ANSWER_BYTES = 64 * 1024 * 1024
STOP_TIMEOUT_S = 2.0


class EngineChild:
    """One process that says one thing at a time; started at the first need.

    Args:
        service: What errors call it.
        module: What is run; see `child_loop`.
        options: What it is told at its start.
    """

    def __init__(self, service: str, module: str, options: dict[str, object]) -> None:
        self._service = service
        self._command = (sys.executable, "-m", module, str(os.getpid()), json.dumps(options))
        self._turn = asyncio.Lock()
        self._process: Process | None = None

    @property
    def pid(self) -> int | None:
        """Its process id while it runs."""
        process = self._process
        return process.pid if process is not None and process.returncode is None else None

    async def say(self, words: str, voice: str, language: str) -> bytes:
        """Return *words* as the engine's WAV; giving up ends the process.

        Raises:
            NothingToSayError: No phoneme is in it.
            UpstreamError: The engine cannot, or it died twice.
        """
        request = json.dumps({"words": words, "voice": voice, "language": language}).encode()
        async with self._turn:
            try:
                kind, content = await self._ask(request)
            except CutAnswerError:
                kind, content = await self._ask(request)
        match kind:
            case b"w":
                return content
            case b"n":
                raise NothingToSayError
            case b"e":
                raise UpstreamError(detail=f"{self._service}: {content.decode(errors='replace')}")
            case _:
                raise OddAnswerError(service=self._service, detail=repr(kind))

    async def aclose(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            async with asyncio.timeout(STOP_TIMEOUT_S):
                await process.wait()
        except TimeoutError:
            await _kill(process)

    async def _ask(self, request: bytes) -> tuple[bytes, bytes]:
        process = await self._running()
        try:
            return await self._exchange(process, request)
        except BaseException as error:
            # What it would still answer belongs to nobody: nothing may be asked after it.
            self._process = None
            await _kill(process)
            if isinstance(error, ConnectionError | asyncio.IncompleteReadError):
                raise CutAnswerError(service=self._service) from error
            raise

    async def _exchange(self, process: Process, request: bytes) -> tuple[bytes, bytes]:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(LENGTH.pack(len(request)) + request)
        await process.stdin.drain()
        head = await process.stdout.readexactly(1 + LENGTH.size)
        (length_bytes,) = LENGTH.unpack(head[1:])
        if length_bytes > MAX_ANSWER_BYTES:
            raise OddAnswerError(service=self._service, detail=f"{length_bytes} bytes")
        return head[:1], await process.stdout.readexactly(length_bytes)

    async def _running(self) -> Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
                start_new_session=True,  # Ctrl+C is ours to answer.
            )
        return self._process


async def _kill(process: Process) -> None:
    """End *process* now, and wait until the system has forgotten it, even when cancelled."""
    if process.returncode is None:
        process.kill()
    waiting = asyncio.get_running_loop().create_task(process.wait())
    while not waiting.done():
        try:
            await asyncio.shield(waiting)
        except asyncio.CancelledError:
            if waiting.done():
                raise
