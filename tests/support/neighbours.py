"""People who talk while somebody else does harm, and whose end of a line is really closed."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.support.served import Served
from websockets.asyncio.client import connect

ROOMS = {"rate_limit_messages": 10_000, "slow_client_grace_s": 3}
"""Settings of a server that lets a client do its worst."""

STUCK_S = 10.0
"""A word takes milliseconds, or tens of them where the machine is busy. One that takes as long as
this waited for somebody: who never reads is waited for until its ping times out."""

CLOSED_WITHIN_S = 20.0
"""A line is cut after five seconds at most; what was forgotten stays until a ping times out."""


class Neighbours:
    """Two people who talk to one another and note how long each word takes.

    Attributes:
        delays_s: Of each word, that on its way when the talk ends included.
    """

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
        try:
            await self._ana.send(json.dumps({"type": "message", "text": words}))
            async with asyncio.timeout(3 * STUCK_S):
                while json.loads(await self._bob.recv()).get("text") != words:
                    pass
        finally:
            self.delays_s.append(time.perf_counter() - started_s)

    def never_waited(self) -> bool:
        return 0 < max(self.delays_s, default=0.0) < STUCK_S


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


async def gone(server: Served, address: tuple[str, int], within_s: float = CLOSED_WITHIN_S) -> bool:
    """Say whether the server's end of *address* is really closed within *within_s*."""
    port = address[1]
    deadline_s = time.monotonic() + within_s
    while time.monotonic() < deadline_s:
        if all(remote[1] != port for remote in server.sockets()):
            return True
        await asyncio.sleep(0.05)
    return False
