"""A newcomer hears each word once: in the past that it is shown, or as it is said."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from palabre.core.chat.chronicle import Chronicle
from palabre.core.chat.hub import RoomHub
from palabre.core.chat.model import MessagePosted, Utterance
from palabre.kernel.errors import StorageError
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.sinks import RecordingSink
from palabre.testing.telemetry import RecordingTelemetry

HERE = ChannelName("#here")
ANA = Nick("ana")


class GatedStore(MemoryMessageStore):
    """Keeps at once, but says so, and shows the past, only when a test lets it."""

    def __init__(self) -> None:
        super().__init__()
        self.append_gate, self.latest_gate = asyncio.Event(), asyncio.Event()
        self.append_gate.set()
        self.latest_gate.set()

    async def append(self, utterance: Utterance) -> None:
        await super().append(utterance)
        await self.append_gate.wait()

    async def latest(self, channel: ChannelName, count: int) -> list[Utterance]:
        said = await super().latest(channel, count)
        await self.latest_gate.wait()
        return said


class Room:
    def __init__(self) -> None:
        self.telemetry = RecordingTelemetry()
        self.store, self.hub = GatedStore(), RoomHub(self.telemetry)
        self.chronicle = Chronicle(self.store, self.hub, self.telemetry)

    async def say(self, words: str, channel: ChannelName = HERE) -> None:
        said = Utterance(datetime(2026, 3, 20, tzinfo=UTC), channel, ANA, words)
        await self.chronicle.say(said, MessagePosted(ANA, words, "#ffffff"))

    async def enter(self, count: int = 20) -> Callable[[], list[str]]:
        """Return what says which words the newcomer has heard so far."""
        sink = RecordingSink()
        past = [each.text for each in await self.chronicle.latest(HERE, count)]
        self.hub.listen(HERE, sink)
        return lambda: past + [each.text for each in sink.events if isinstance(each, MessagePosted)]


async def test_what_is_said_while_the_past_is_read_is_heard() -> None:
    room = Room()
    await room.say("one")
    room.store.latest_gate.clear()
    entering = asyncio.create_task(room.enter())
    await asyncio.sleep(0)
    await room.say("two")
    room.store.latest_gate.set()
    heard = await entering
    await room.say("three")
    await asyncio.sleep(0)
    assert heard() == ["one", "two", "three"]


async def test_what_is_kept_but_not_yet_told_is_heard_once() -> None:
    room = Room()
    await room.say("one")
    room.store.append_gate.clear()
    saying = [asyncio.create_task(room.say(words)) for words in ("two", "three")]
    await asyncio.sleep(0)
    heard = await room.enter()
    assert heard() == ["one"]
    room.store.append_gate.set()
    await asyncio.gather(*saying)
    await asyncio.sleep(0)
    assert heard() == ["one", "two", "three"]


async def test_the_past_is_as_long_as_asked_though_something_is_untold() -> None:
    room = Room()
    for number in range(5):
        await room.say(str(number))
    room.store.append_gate.clear()
    saying = asyncio.create_task(room.say("untold"))
    await asyncio.sleep(0)
    assert (await room.enter(3))() == ["2", "3", "4"]
    assert (await room.enter(0))() == []
    room.store.append_gate.set()
    await saying


async def test_what_another_channel_has_not_told_changes_nothing_here() -> None:
    room = Room()
    await room.say("here")
    room.store.append_gate.clear()
    saying = asyncio.create_task(room.say("there", ChannelName("#there")))
    await asyncio.sleep(0)
    assert (await room.enter())() == ["here"]
    room.store.append_gate.set()
    await saying


async def test_what_cannot_be_kept_is_told_to_nobody() -> None:
    room = Room()
    heard = await room.enter()
    room.store.refusal = "disk full"
    with pytest.raises(StorageError):
        await room.say("lost")
    room.store.refusal = None
    await room.say("kept")
    await asyncio.sleep(0)
    assert heard() == ["kept"]
    assert (await room.enter())() == ["kept"]


async def test_a_past_that_cannot_be_read_keeps_nobody_out() -> None:
    room = Room()
    await room.say("one")
    await room.store.aclose()
    assert (await room.enter())() == []
    assert room.telemetry.counts["history_unreadable", ""] == 1
