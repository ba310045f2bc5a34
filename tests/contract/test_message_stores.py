"""What every `MessageStore` does, whatever it keeps things in."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from tests.support.databases import KINDS, address_of

from palabre.adapters.storage.jsonl.messages import JsonlMessageStore
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.rooms.messages import SqlMessageStore
from palabre.core.chat.errors import StoreClosedError
from palabre.core.chat.model import Backlog, ChannelStats, StoreTotals, Tidied, Utterance
from palabre.core.chat.ports import MessageStore
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.telemetry import RecordingTelemetry

GENERAL = ChannelName("#general")
MUSIC = ChannelName("#musique")
TEN = datetime(2026, 3, 20, 10, tzinfo=UTC)


@pytest.fixture(params=["memory", "jsonl", *KINDS])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[MessageStore]:
    async with AsyncExitStack() as stack:
        opened = await open_store(request, tmp_path, stack)
        stack.push_async_callback(opened.aclose)
        yield opened


async def open_store(
    request: pytest.FixtureRequest, tmp_path: Path, stack: AsyncExitStack
) -> MessageStore:
    match request.param:
        case "memory":
            return MemoryMessageStore()
        case "jsonl":
            return await JsonlMessageStore.open(tmp_path / "data", RecordingTelemetry())
        case kind:
            database = await Database.open(address_of(kind, request, tmp_path))
            stack.push_async_callback(database.aclose)
            return SqlMessageStore(database)


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
    spoken = Utterance(TEN, GENERAL, Nick("Schaeffer"), "Écoute\n\u2028le \x01 bruit 🎧\r\n")
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


async def test_a_nul_is_kept_or_made_a_sign_for_what_cannot_be_said(store: MessageStore) -> None:
    await fill(store, "a\0b", "\0")
    assert [u.text.replace("\0", "\ufffd") for u in await store.latest(GENERAL, 3)] == [
        "a\ufffdb",
        "\ufffd",
    ]
    assert (await store.stats(GENERAL)).chars == 4


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


async def compacted(store: MessageStore, summary: str = "On parla.", share: float = 0.8) -> Backlog:
    backlog = await store.backlog(GENERAL, share, 1)
    assert backlog is not None
    assert await store.compact(backlog, summary, TEN + timedelta(hours=1))
    return backlog


async def test_the_oldest_share_of_a_channel_is_read_passage_by_passage(
    store: MessageStore,
) -> None:
    await fill(store, *(f"mot {n}" for n in range(10)))
    backlog = await store.backlog(GENERAL, 0.8, 10)
    assert backlog is not None
    assert (backlog.entries, backlog.summary) == (8, "")
    read: list[list[str]] = []
    position = 0
    while position < backlog.end:
        said, position = await store.passage(backlog, position, 25)
        read.append([each.text for each in said])
    assert [text for part in read for text in part] == [f"mot {n}" for n in range(8)]
    assert max(map(len, read)) == 3
    assert [each.text for each in (await store.passage(backlog, 0, 1))[0]] == ["mot 0"]


async def test_a_channel_of_few_utterances_has_no_backlog(store: MessageStore) -> None:
    await fill(store, "un", "deux")
    assert await store.backlog(GENERAL, 0.8, 3) is None
    assert await store.backlog(GENERAL, 0.1, 1) is None
    assert await store.backlog(MUSIC, 0.8, 0) is None


async def test_a_summary_stands_for_the_oldest_and_the_newest_stay(store: MessageStore) -> None:
    await fill(store, *"abcdefghij")
    await fill(store, "ailleurs", channel=MUSIC)
    await compacted(store)
    assert [each.text for each in await store.latest(GENERAL, 20)] == ["i", "j"]
    summary, *newest = await store.within(GENERAL, 4000)
    assert (summary.kind, summary.text, summary.channel) == ("summary", "On parla.", GENERAL)
    assert [each.text for each in newest] == ["i", "j"]
    assert await store.stats(GENERAL) == ChannelStats(2, 2, 8, 1, TEN + timedelta(hours=1))
    assert [each.kind for each in await store.within(MUSIC, 4000)] == ["message"]


async def test_what_comes_while_a_summary_is_written_is_kept(store: MessageStore) -> None:
    await fill(store, *"abcde")
    backlog = await store.backlog(GENERAL, 0.8, 1)
    assert backlog is not None
    await fill(store, *"fgh")
    assert await store.compact(backlog, "On parla.", TEN)
    await fill(store, *"ij")
    assert [each.text for each in await store.latest(GENERAL, 20)] == list("efghij")
    assert (await store.stats(GENERAL)).messages == 6


async def test_a_second_summary_counts_with_the_first_and_knows_it(store: MessageStore) -> None:
    await fill(store, *"abcde")
    await compacted(store, "Premier résumé.")
    await fill(store, *"fghi")
    assert (await compacted(store, "Second résumé.")).summary == "Premier résumé."
    stats = await store.stats(GENERAL)
    assert (stats.compacted_entries, stats.compactions, stats.messages) == (8, 2, 1)
    assert (await store.within(GENERAL, 4000))[0].text == "Second résumé."


async def test_a_backlog_is_good_for_one_summary(store: MessageStore) -> None:
    await fill(store, *"abcde")
    backlog = await compacted(store)
    assert not await store.compact(backlog, "Encore.", TEN)
    assert await store.passage(backlog, 0, 100) == ([], backlog.end)
    assert (await store.stats(GENERAL)).compactions == 1


@pytest.mark.parametrize("budget_chars", [0, 100, 256, 300, 1000, 4000])
async def test_a_summary_leaves_room_for_the_newest(store: MessageStore, budget_chars: int) -> None:
    await fill(store, *["x" * 100] * 40)
    await compacted(store, "Une phrase de plus. " * 400)
    said = await store.within(GENERAL, budget_chars)
    summary = sum(len(each.text) for each in said if each.kind == "summary")
    newest = sum(len(each.text) for each in said if each.kind == "message")
    assert summary <= max(0, min(budget_chars - 256, budget_chars // 2))
    assert summary + newest <= budget_chars
    assert newest >= min(budget_chars // 2, 800) // 100 * 100


async def test_channels_that_have_grown_are_told(store: MessageStore) -> None:
    await fill(store, *["x" * 100] * 10)
    await fill(store, "court", channel=MUSIC)
    assert await store.grown(1000) == [GENERAL]
    await compacted(store)
    assert await store.grown(1000) == []


async def test_tidying_deletes_the_oldest_archives_and_never_what_is_live(
    store: MessageStore,
) -> None:
    await fill(store, *["x" * 1000] * 10)
    await compacted(store)
    await fill(store, *["y" * 1000] * 10)
    await compacted(store)
    live = await store.within(GENERAL, 100_000)
    size_bytes = (await store.tidy(10**9)).size_bytes
    assert await store.tidy(size_bytes) == Tidied(size_bytes, 0)
    assert (await store.tidy(size_bytes - 1)).deleted == 1
    left = await store.tidy(0)
    assert left.deleted == 1
    assert left.size_bytes >= 2000
    assert await store.within(GENERAL, 100_000) == live
