"""The parent's side of `llama_server`."""

import asyncio
import json
import os
import secrets
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from palabre.core.models.errors import ModelNotLoadedError, SilentServerError

TITLE = "llama.cpp"
MODULE = "palabre.adapters.models.llama_server"
STOP_TIMEOUT_S = 3.0


@dataclass(frozen=True, slots=True)
class LlamaOptions:
    """How llama.cpp is to run; *threads* is at least 1."""

    threads: int = 1
    context_tokens: int = 4096


class LlamaChild:
    """A running server with one model in memory. Its key is known to us alone."""

    def __init__(self, process: Process, model: str, url: str, api_key: str) -> None:
        self._process = process
        self.model = model
        self.url = url
        self.api_key = api_key

    @property
    def alive(self) -> bool:
        """Whether it still runs, as far as the event loop heard."""
        return self._process.returncode is None

    @classmethod
    async def start(cls, path: Path, model: str, options: LlamaOptions, deadline_s: float) -> Self:
        """Load the GGUF file at *path*, to be called *model*.

        Raises:
            ModelNotLoadedError: llama.cpp will not have it.
            SilentServerError: It is not there by *deadline_s* (the loop's time).
        """
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", MODULE, str(os.getpid())),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            start_new_session=True,  # Ctrl+C is ours to answer.
        )
        api_key = secrets.token_urlsafe(32)
        child = cls(process, model, "", api_key)
        wish: dict[str, str | int] = {
            "model": str(path),
            "alias": model,
            "api_key": api_key,
            "threads": options.threads,
            "context_tokens": options.context_tokens,
        }
        try:
            async with asyncio.timeout_at(deadline_s):
                child.url = await _url(process, wish)
        except TimeoutError:
            await child.stop()
            raise SilentServerError(service=TITLE) from None
        except BaseException:
            await child.stop()
            raise
        return child

    async def ends_within(self, timeout_s: float) -> bool:
        """Say whether it is gone, or goes, within *timeout_s*."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._process.wait()
        except TimeoutError:
            return False
        return True

    async def stop(self) -> None:
        """End it, by force if it does not go."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        if not await self.ends_within(STOP_TIMEOUT_S):
            self._process.kill()
            await self._process.wait()


async def _url(process: Process, wish: dict[str, str | int]) -> str:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(wish).encode() + b"\n")
        await process.stdin.drain()
    except ConnectionError:
        await process.wait()
    answer = await process.stdout.readline()
    if not answer:
        code = await process.wait()
        raise ModelNotLoadedError(service=TITLE, model=wish["alias"], detail=f"exit code {code}")
    told = json.loads(answer)
    if "url" not in told:
        detail = str(told.get("error"))
        raise ModelNotLoadedError(service=TITLE, model=wish["alias"], detail=detail)
    return str(told["url"])
