"""People who talk while somebody else does harm, and whose end of a line is really closed."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.support.served import Served
from websockets.asyncio.client import connect

ROOMS = {"rate_limit_messages": 10_000, "slow_client_grace_s": 1}
"""Settings of a server that lets a client do its worst."""


class Neighbours:
    """Two people who talk to one another and note how long each word takes."""

    def __init__(self, ana: Any, bob: Any) -> None:
        self._ana = ana
        self._bob = bob
        self.delays_s: list[float] = []

    async def talk(self) -> None:
        while True:
            await self.say(f"word {len(self.delays_s)}")
            await asyncio.sleep(0.02)

    async def say(self, words: str) -> None:
        started_s = time.perf_counter()
        await self._ana.send(json.dumps({"type": "message", "text": words}))
        async with asyncio.timeout(5):
            while json.loads(await self._bob.recv()).get("text") != words:
                pass
        self.delays_s.append(time.perf_counter() - started_s)


@asynccontextmanager
async def neighbours(server: Served) -> AsyncIterator[Neighbours]:
    """Let two people talk while the block runs, in a channel that nobody else floods."""
    names = [f"{name}{time.monotonic_ns() % 10**9}" for name in ("ana", "bob")]
    async with (
        connect(f"{server.url}/ws?nick={names[0]}", max_queue=None) as ana,
        connect(f"{server.url}/ws?nick={names[1]}", max_queue=None) as bob,
    ):
        for each in (ana, bob):
            await each.send(json.dumps({"type": "command", "text": f"/join #{names[0]}"}))
            while "Canal change" not in json.loads(await each.recv()).get("text", ""):
                pass
        talk = Neighbours(ana, bob)
        talking = asyncio.create_task(talk.talk())
        try:
            yield talk
        finally:
            talking.cancel()
            await asyncio.gather(talking, return_exceptions=True)
        await talk.say("still here")


async def gone(server: Served, address: tuple[str, int], within_s: float) -> bool:
    """Say whether the server's end of *address* is really closed within *within_s*."""
    port = address[1]
    deadline_s = time.monotonic() + within_s
    while time.monotonic() < deadline_s:
        if all(remote[1] != port for remote in server.sockets()):
            return True
        await asyncio.sleep(0.05)
    return False
