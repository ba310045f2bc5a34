"""What every `MessageStore` does, whatever it keeps things in."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from palabre.adapters.storage.jsonl.messages import JsonlMessageStore
from palabre.core.chat.errors import StoreClosedError
from palabre.core.chat.model import ChannelStats, StoreTotals, Utterance
from palabre.core.chat.ports import MessageStore
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.telemetry import RecordingTelemetry

GENERAL = ChannelName("#general")
MUSIC = ChannelName("#musique")
TEN = datetime(2026, 3, 20, 10, tzinfo=UTC)


@pytest.fixture(params=["memory", "jsonl"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[MessageStore]:
    opened: MessageStore = (
        MemoryMessageStore()
        if request.param == "memory"
        else await JsonlMessageStore.open(tmp_path / "data", RecordingTelemetry())
    )
    yield opened
    await opened.aclose()


def said(text: str, second: int = 0, channel: ChannelName = GENERAL) -> Utterance:
    return Utterance(TEN + timedelta(seconds=second), channel, Nick("lea"), text)


async def fill(store: MessageStore, *texts: str, channel: ChannelName = GENERAL) -> None:
    for second, text in enumerate(texts):
        await store.append(said(text, second, channel))


async def test_an_unknown_channel_is_empty(store: MessageStore) -> None:
    assert await store.latest(GENERAL, 20) == []
    assert await store.within(GENERAL, 4000) == []
    assert await store.stats(GENERAL) == ChannelStats()
    assert await store.totals() == StoreTotals()


async def test_what_was_appended_is_read_back_at_once_and_whole(store: MessageStore) -> None:
    spoken = Utterance(TEN, GENERAL, Nick("Schaeffer"), "Écoute\n\u2028le \0 bruit 🎧\r\n")
    noted = Utterance(TEN, GENERAL, Nick("*"), "lea a rejoint #general", "system")
    await store.append(spoken)
    await store.append(noted)
    assert await store.latest(GENERAL, 20) == [spoken, noted]


async def test_latest_gives_the_newest_oldest_first(store: MessageStore) -> None:
    await fill(store, "un", "deux", "trois")
    assert [u.text for u in await store.latest(GENERAL, 2)] == ["deux", "trois"]
    assert [u.text for u in await store.latest(GENERAL, 9)] == ["un", "deux", "trois"]
    assert await store.latest(GENERAL, 0) == []


async def test_channels_do_not_mix(store: MessageStore) -> None:
    await fill(store, "ici")
    await fill(store, "là", channel=MUSIC)
    assert [u.text for u in await store.latest(MUSIC, 20)] == ["là"]
    assert [u.channel for u in await store.latest(MUSIC, 20)] == [MUSIC]


@pytest.mark.parametrize(
    ("budget_chars", "texts"),
    [
        (-1, []),
        (0, []),
        (2, []),
        (3, ["ccc"]),
        (6, ["ccc"]),
        (7, ["bbbb", "ccc"]),
        (8, ["a", "bbbb", "ccc"]),
        (9999, ["a", "bbbb", "ccc"]),
    ],
)
async def test_within_a_budget_the_oldest_are_left_out_first(
    store: MessageStore, budget_chars: int, texts: list[str]
) -> None:
    await fill(store, "a", "bbbb", "ccc")
    assert [u.text for u in await store.within(GENERAL, budget_chars)] == texts


async def test_a_text_too_long_for_the_budget_hides_what_came_before(store: MessageStore) -> None:
    await fill(store, "court", "long" * 100, "bref")
    assert [u.text for u in await store.within(GENERAL, 50)] == ["bref"]


async def test_a_budget_counts_characters_and_not_bytes(store: MessageStore) -> None:
    await fill(store, "éé", "🎧🎧")
    assert len(await store.within(GENERAL, 4)) == 2


async def test_the_context_keeps_two_thousand_characters_of_a_text(store: MessageStore) -> None:
    await fill(store, "é" * 2001)
    assert [u.text for u in await store.latest(GENERAL, 1)] == ["é" * 2000]
    assert (await store.stats(GENERAL)).chars == 2000


async def test_times_are_kept_in_utc_to_the_millisecond(store: MessageStore) -> None:
    paris = timezone(timedelta(hours=1))
    await store.append(
        Utterance(datetime(2026, 3, 20, 11, 0, 0, 123_999, paris), GENERAL, Nick("lea"), "oui")
    )
    [kept] = await store.latest(GENERAL, 1)
    assert kept.at.isoformat() == "2026-03-20T10:00:00.123000+00:00"


async def test_halves_of_surrogate_pairs_do_no_harm(store: MessageStore) -> None:
    await fill(store, "a\ud83d", "b\ud83c\udfa7", "c")
    assert [u.text for u in await store.latest(GENERAL, 3)] == ["a\ufffd", "b🎧", "c"]


async def test_counts_follow_what_is_appended(store: MessageStore) -> None:
    await fill(store, "un", "deux")
    assert await store.stats(GENERAL) == ChannelStats(messages=2, chars=6)
    await fill(store, "trois")
    await fill(store, "ailleurs", channel=MUSIC)
    assert await store.stats(GENERAL) == ChannelStats(messages=3, chars=11)


async def test_totals_count_channels_and_grow_with_them(store: MessageStore) -> None:
    await fill(store, "un")
    first = await store.totals()
    await fill(store, "deux", channel=MUSIC)
    both = await store.totals()
    assert (first.channels, both.channels) == (1, 2)
    assert both.size_bytes > first.size_bytes > 0


async def test_appends_at_once_all_arrive_in_the_order_of_their_call(store: MessageStore) -> None:
    async with asyncio.TaskGroup() as group:
        for number in range(200):
            group.create_task(store.append(said(str(number), number)))
    assert [u.text for u in await store.latest(GENERAL, 200)] == [str(n) for n in range(200)]


async def test_appends_of_a_channel_return_in_the_order_of_their_call(store: MessageStore) -> None:
    returned: dict[ChannelName, list[str]] = {GENERAL: [], MUSIC: []}

    async def append(number: int) -> None:
        day, channel = number % 3 * 86_400, (GENERAL, MUSIC)[number % 2]
        await store.append(said(f"{number}" * (1 + number % 7 * 90), day, channel))
        returned[channel].append(str(number))

    async with asyncio.TaskGroup() as group:
        for number in range(300):
            group.create_task(append(number))
            if number % 50 == 0:
                await asyncio.sleep(0)
    assert returned[GENERAL] == [str(number) for number in range(0, 300, 2)]
    assert returned[MUSIC] == [str(number) for number in range(1, 300, 2)]


async def test_reads_between_appends_see_all_that_was_acknowledged(store: MessageStore) -> None:
    acknowledged = 0

    async def write() -> None:
        nonlocal acknowledged
        for number in range(100):
            await store.append(said(str(number), number))
            acknowledged = number + 1

    async def read() -> None:
        while acknowledged < 100:
            known = acknowledged
            assert len(await store.latest(GENERAL, 1000)) >= known
            assert (await store.stats(GENERAL)).messages >= known
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        group.create_task(write())
        group.create_task(read())


async def test_a_cancelled_append_harms_no_other(store: MessageStore) -> None:
    async with asyncio.TaskGroup() as group:
        impatient = group.create_task(store.append(said("tant pis")))
        group.create_task(store.append(said("ensuite")))
        await asyncio.sleep(0)
        impatient.cancel()
    assert "ensuite" in [u.text for u in await store.latest(GENERAL, 9)]


async def test_after_the_close_nothing_is_taken_any_more(store: MessageStore) -> None:
    await store.aclose()
    await store.aclose()
    with pytest.raises(StoreClosedError):
        await store.append(said("trop tard"))
    with pytest.raises(StoreClosedError):
        await store.latest(GENERAL, 1)
