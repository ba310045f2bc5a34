"""The parent's side of `child_loop`: an engine in a process of its own, restarted when it dies."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping

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
        grace_s: How long an answer that nobody waits for any more may still take, before the
            process is ended for it: loading the model anew takes longer.
    """

    def __init__(
        self, service: str, module: str, options: Mapping[str, object], grace_s: float = 2.0
    ) -> None:
        self._service = service
        self._command = (sys.executable, "-m", module, str(os.getpid()), json.dumps(options))
        self._grace_s = grace_s
        self._turn = asyncio.Lock()
        self._process: Process | None = None
        self._calls: set[asyncio.Task[tuple[bytes, bytes]]] = set()

    @property
    def pid(self) -> int | None:
        """Its process id while it runs."""
        process = self._process
        return process.pid if process is not None and process.returncode is None else None

    async def say(self, words: str, voice: str, language: str) -> bytes:
        """Return *words* as the engine's WAV.

        Raises:
            NothingToSayError: No phoneme is in it.
            UpstreamError: The engine cannot, or it died twice.
        """
        request = json.dumps({"words": words, "voice": voice, "language": language}).encode()
        begun = asyncio.Event()
        loop = asyncio.get_running_loop()
        call = loop.create_task(self._call(request, begun))
        self._calls.add(call)
        call.add_done_callback(self._ended)
        try:
            kind, content = await asyncio.shield(call)
        except asyncio.CancelledError:
            loop.call_later(self._grace_s if begun.is_set() else 0, call.cancel)
            raise
        return self._wav(kind, content)

    async def aclose(self) -> None:
        """End the process."""
        for call in self._calls:
            call.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)
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

    def _ended(self, call: "asyncio.Task[tuple[bytes, bytes]]") -> None:
        self._calls.discard(call)
        if not call.cancelled():
            call.exception()  # nobody may have waited for it

    def _wav(self, kind: bytes, content: bytes) -> bytes:
        match kind:
            case b"w":
                return content
            case b"n":
                raise NothingToSayError
            case b"e":
                raise UpstreamError(detail=f"{self._service}: {content.decode(errors='replace')}")
            case _:
                raise OddAnswerError(service=self._service, detail=repr(kind))

    async def _call(self, request: bytes, begun: asyncio.Event) -> tuple[bytes, bytes]:
        async with self._turn:
            begun.set()
            try:
                return await self._ask(request)
            except CutAnswerError:
                return await self._ask(request)

    async def _ask(self, request: bytes) -> tuple[bytes, bytes]:
        process = await self._running()
        try:
            return await self._exchange(process, request)
        except (ConnectionError, asyncio.IncompleteReadError) as error:
            await self._drop(process)
            raise CutAnswerError(service=self._service) from error
        except BaseException:
            # What it would still answer belongs to nobody: nothing may be asked after it.
            await self._drop(process)
            raise

    async def _drop(self, process: Process) -> None:
        self._process = None
        await _kill(process)

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
            self._process = await start(self._service, *self._command)
        return self._process


async def start(service: str, *command: str) -> Process:
    """Run *command*, which talks over standard input and output.

    Raises:
        UpstreamError: The system does not run it.
    """
    try:
        return await asyncio.create_subprocess_exec(
            *command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            start_new_session=True,  # Ctrl+C is ours to answer.
        )
    except OSError as error:
        raise UpstreamError(detail=f"{service}: {error}") from error


async def _kill(process: Process) -> None:
    if process.returncode is None:
        process.kill()
        await process.wait()
