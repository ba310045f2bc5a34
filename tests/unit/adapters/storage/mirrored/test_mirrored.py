"""A mirror shows what the store holds, and harms nobody."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from palabre.adapters.storage.mirrored.media import MirroredMediaStore
from palabre.adapters.storage.mirrored.memories import MirroredMemoryStore
from palabre.adapters.storage.mirrored.messages import MirroredMessageStore
from palabre.core.chat.errors import StoreClosedError
from palabre.core.chat.model import Utterance
from palabre.core.media.model import MediaItem
from palabre.kernel.errors import StorageError
from palabre.kernel.ids import ChannelName, Nick, PersonaId
from palabre.testing.media import MemoryMediaStore
from palabre.testing.memories import StaticMemoryStore
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.telemetry import RecordingTelemetry

GENERAL = ChannelName("#general")
TEN = datetime(2026, 3, 20, 10, tzinfo=UTC)
BATTY = PersonaId("batty"), Nick("Batty")
ITEM = MediaItem("1-0000abcd", "image", "p", "ana", "#general", TEN, "image/png", "1-0000abcd.png")


class Pair:
    """Two message stores, one following the other."""

    def __init__(self) -> None:
        self.store, self.mirror = MemoryMessageStore(), MemoryMessageStore()
        self.telemetry = RecordingTelemetry()
        self.both = MirroredMessageStore(self.store, self.mirror, self.telemetry)

    @property
    def failures(self) -> int:
        return self.telemetry.counts["storage_mirror_failed", ""]

    async def say(self, *texts: str) -> None:
        for number, text in enumerate(texts):
            at = TEN + timedelta(seconds=number)
            await self.both.append(Utterance(at, GENERAL, Nick("lea"), text))

    async def summarise(self, share: float) -> None:
        backlog = await self.both.backlog(GENERAL, share, 1)
        assert backlog is not None
        assert await self.both.compact(backlog, "On parla.", TEN)


async def test_messages_are_in_both_and_read_from_the_first() -> None:
    pair = Pair()
    await pair.say("un", "deux")
    assert pair.mirror.utterances == pair.store.utterances
    pair.mirror.utterances.clear()
    assert [each.text for each in await pair.both.latest(GENERAL, 9)] == ["un", "deux"]


async def test_a_mirror_that_fails_is_counted_and_the_message_is_kept() -> None:
    pair = Pair()
    pair.mirror.refusal = "No space left on device"
    await pair.say("un")
    assert [each.text for each in await pair.both.latest(GENERAL, 9)] == ["un"]
    assert pair.failures == 1


async def test_what_the_store_refuses_is_not_mirrored() -> None:
    pair = Pair()
    pair.store.refusal = "gone"
    with pytest.raises(StorageError):
        await pair.say("un")
    assert pair.mirror.utterances == []


@pytest.mark.parametrize(("count", "share"), [(10, 0.8), (7, 0.8), (300, 0.333), (3, 0.34)])
async def test_a_summary_leaves_the_same_lines_in_both(count: int, share: float) -> None:
    pair = Pair()
    await pair.say(*(str(number) for number in range(count)))
    await pair.summarise(share)
    for store in (pair.store, pair.mirror):
        assert (await store.stats(GENERAL)).compactions == 1
    assert await pair.mirror.latest(GENERAL, 999) == await pair.store.latest(GENERAL, 999)
    assert await pair.mirror.within(GENERAL, 999) == await pair.store.within(GENERAL, 999)


async def test_a_mirror_that_has_missed_lines_follows_as_far_as_it_can() -> None:
    pair = Pair()
    pair.mirror.refusal = "full"
    await pair.say(*"abcdefgh")
    pair.mirror.refusal = None
    await pair.say("i", "j")
    await pair.summarise(0.5)
    assert [each.text for each in await pair.mirror.latest(GENERAL, 9)] == ["i", "j"]
    await pair.both.tidy(0)
    assert pair.failures == 8


async def test_both_are_closed() -> None:
    pair = Pair()
    await pair.both.aclose()
    for store in (pair.store, pair.mirror):
        with pytest.raises(StoreClosedError):
            await store.latest(GENERAL, 1)


async def test_memories_are_followed_through_changes_undoing_and_forgetting() -> None:
    store, mirror = StaticMemoryStore(), StaticMemoryStore()
    both = MirroredMemoryStore(store, mirror, RecordingTelemetry())
    for fact in ("un", "deux"):
        await both.revise(
            *BATTY,
            lambda record, new=fact: replace(record, facts=(*record.facts, new)),  # type: ignore[misc]
        )
    assert (await mirror.recall(*BATTY)).facts == ("un", "deux")
    await both.undo(*BATTY)
    assert (await mirror.recall(*BATTY)).facts == (await both.recall(*BATTY)).facts == ("un",)
    await both.drop_history(BATTY[0])
    assert await mirror.undo(*BATTY) is None


async def test_memories_are_kept_where_the_mirror_refuses() -> None:
    store, mirror = StaticMemoryStore(), StaticMemoryStore()
    telemetry = RecordingTelemetry()
    mirror.refusal = "read-only"
    both = MirroredMemoryStore(store, mirror, telemetry)
    await both.revise(*BATTY, lambda record: replace(record, facts=("un",)))
    assert (await both.record(*BATTY)).facts == ("un",)
    assert telemetry.counts["storage_mirror_failed", ""] == 1


async def test_media_are_in_both_and_kept_where_the_mirror_is_full() -> None:
    store, mirror, telemetry = (
        MemoryMediaStore(),
        MemoryMediaStore(max_bytes=4),
        RecordingTelemetry(),
    )
    both = MirroredMediaStore(store, mirror, telemetry)
    await both.save(ITEM, b"1234")
    assert await mirror.latest("image") == await both.latest("image") == [ITEM]
    second = replace(ITEM, id="2-0000abcd", file_name="2-0000abcd.png")
    await both.save(second, b"5")
    assert telemetry.counts["storage_mirror_failed", ""] == 1
    assert await both.find("image", second.file_name) is not None
    assert [piece async for piece in both.read(second)] == [b"5"]
