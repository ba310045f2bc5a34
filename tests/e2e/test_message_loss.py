"""Nothing that was said is lost, repeated or told in another order, whatever comes in between."""

import asyncio
import json
import random
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.support.neighbours import STUCK_S
from tests.support.served import Served, served
from tests.support.turns import eventually
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

pytestmark = pytest.mark.e2e

ROOMS = {"rate_limit_messages": 10_000, "history_messages": 500, "max_buffered_events": 100_000}


@dataclass
class Person:
    """Somebody who keeps all that is told, from the first frame on."""

    connection: ClientConnection
    frames: list[dict[str, Any]] = field(default_factory=list)

    async def listen(self) -> None:
        try:
            async for raw in self.connection:
                self.frames.append(json.loads(raw))
        except ConnectionClosed:
            return

    async def say(self, text: str) -> None:
        await self.connection.send(json.dumps({"type": "message", "text": text}))

    def heard(self) -> list[str]:
        """Return what people said, in the past that was shown and since, without the hour."""
        told = [each for each in self.frames if each["type"] == "message"]
        return [each["text"] if "seq" in each else each["text"][8:] for each in told]

    async def until(self, *texts: str) -> None:
        async with asyncio.timeout(30):
            while not set(texts) <= set(self.heard()):  # noqa: ASYNC110 - frames of a task
                await asyncio.sleep(0.01)


@asynccontextmanager
async def person(server: Served, nick: str) -> AsyncIterator[Person]:
    async with connect(f"{server.url}/ws?nick={nick}", max_queue=None) as connection:
        each = Person(connection)
        listening = asyncio.create_task(each.listen())
        try:
            yield each
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)


def without_gap(frames: list[dict[str, Any]]) -> bool:
    seqs = [each["seq"] for each in frames if "seq" in each]
    return seqs == list(range(seqs[0], seqs[0] + len(seqs)))


async def test_everybody_hears_everything_in_one_order_while_others_come_and_go(
    tmp_path: Path,
) -> None:
    with served(tmp_path / "data", rooms=ROOMS) as server:
        async with (
            person(server, "ana") as ana,
            person(server, "bob") as bob,
            person(server, "eve") as eve,
        ):
            passing = asyncio.create_task(_come_and_go(server))
            talking = [
                _talk(each, name, patient=True) for each, name in ((ana, "ana"), (bob, "bob"))
            ]
            said = [text for texts in await asyncio.gather(*talking) for text in texts]
            for each in (ana, bob, eve):
                await each.until(*said)
            passing.cancel()
            await asyncio.gather(passing, return_exceptions=True)
            assert ana.heard() == bob.heard() == eve.heard()
            assert sorted(ana.heard()) == sorted(said)
            assert all(without_gap(each.frames) for each in (ana, bob, eve))
            for name in ("ana", "bob"):
                own = [text for text in ana.heard() if text.startswith(name)]
                assert own == [text for text in said if text.startswith(name)]
        log, context = server.said()
        assert log == context == ana.heard()


async def _talk(each: Person, name: str, *, patient: bool = False) -> list[str]:
    """Say something a hundred times; the patient never have 32 messages in line, which is too many."""
    texts = [f"{name} {number}" for number in range(100)]
    for text in texts:
        await each.say(text)
        await (each.until(text) if patient else asyncio.sleep(0.01))
    return texts


async def _come_and_go(server: Served) -> None:
    chance = random.Random(7)  # noqa: S311 - no secret
    while True:
        async with connect(f"{server.url}/ws", max_queue=None) as passing:
            await passing.send(json.dumps({"type": "command", "text": "/join #elsewhere"}))
            if chance.random() < 0.5:
                passing.transport.abort()


async def test_a_newcomer_hears_each_word_once_in_the_past_or_as_it_is_said(
    tmp_path: Path,
) -> None:
    with served(tmp_path / "data", rooms=ROOMS) as server:
        async with person(server, "ana") as ana:
            talking = asyncio.create_task(_talk(ana, "ana"))
            newcomers: list[list[str]] = []
            for number in range(12):
                async with person(server, f"new{number}") as each:
                    await eventually(each.heard)
                    newcomers.append(each.heard())
            said = await talking
            await ana.until(*said)
        for heard in newcomers:
            assert heard
            assert heard == said[: len(heard)]


async def test_who_goes_to_a_channel_hears_each_of_its_words_once(tmp_path: Path) -> None:
    with served(tmp_path / "data", rooms=ROOMS) as server:
        async with person(server, "ana") as ana, person(server, "bob") as bob:
            await ana.connection.send(json.dumps({"type": "command", "text": "/join #a"}))
            talking = asyncio.create_task(_talk(ana, "ana"))
            for channel in ("#a", "#b") * 6:
                before = len(bob.heard())
                order = {"type": "command", "text": f"/join {channel}"}
                await bob.connection.send(json.dumps(order))
                await asyncio.sleep(0.05)
                if channel == "#a":
                    heard = bob.heard()[before:]
                    assert heard == [f"ana {number}" for number in range(len(heard))]
            await talking


async def test_a_kill_loses_nothing_that_was_told(tmp_path: Path) -> None:
    with served(tmp_path / "data", rooms=ROOMS) as server:
        async with person(server, "ana") as ana, person(server, "bob") as bob:
            talking = asyncio.gather(_talk(ana, "ana"), _talk(bob, "bob"), return_exceptions=True)
            await eventually(lambda: len(ana.heard()) > 20)
            server.process.send_signal(signal.SIGKILL)
            await talking
            await asyncio.sleep(0.1)
            told = set(ana.heard()) | set(bob.heard())
        log, context = server.said()
        assert len(told) > 10
        assert told <= set(log)
        assert told <= set(context)
        assert len(log) == len(set(log))
    with served(tmp_path / "data", rooms=ROOMS) as again:
        async with person(again, "eve") as eve:
            await eve.until(*told)
            assert eve.heard() == context


async def test_a_stop_in_the_midst_of_a_crowd_keeps_all_that_was_told(tmp_path: Path) -> None:
    with served(tmp_path / "data", rooms=ROOMS) as server:
        async with person(server, "ana") as ana, person(server, "bob") as bob:
            talking = asyncio.gather(_talk(ana, "ana"), _talk(bob, "bob"), return_exceptions=True)
            await eventually(lambda: len(ana.heard()) > 20)
            started_s = time.monotonic()
            assert await asyncio.to_thread(server.stop) == 0
            assert time.monotonic() - started_s < STUCK_S
            await talking
            told = set(ana.heard())
        log, context = server.said()
        assert len(told) > 10
        assert told <= set(log)
        assert log == context
        assert not [line for line in server.lines if "Traceback" in line]


async def test_two_hundred_people_hear_a_burst_without_loss(tmp_path: Path) -> None:
    with served(tmp_path / "data", rooms=ROOMS) as server:
        crowd = [connect(f"{server.url}/ws", max_queue=None) for _ in range(200)]
        connections = [await each for each in crowd]
        people = [Person(each) for each in connections]
        listening = [asyncio.create_task(each.listen()) for each in people]
        said = [f"word {number}" for number in range(100)]
        for each, text in zip(people, said, strict=False):
            await each.say(text)
        for each in people:
            await each.until(*said)
        assert all(each.heard() == people[0].heard() for each in people)
        assert sorted(people[0].heard()) == sorted(said)
        assert all(without_gap(each.frames) for each in people)
        for each in people:
            each.connection.transport.abort()
        await asyncio.gather(*listening)
