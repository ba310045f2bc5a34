"""Several processes keep what is said in one database."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import func, select
from tests.support.databases import address_of

from palabre.adapters.storage.sql.address import DatabaseAddress
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.rooms.messages import SqlMessageStore
from palabre.adapters.storage.sql.schema.history import MESSAGES
from palabre.core.chat.model import Utterance
from palabre.kernel.errors import StorageError
from palabre.kernel.ids import ChannelName, Nick

CHANNELS = [ChannelName(f"#c{number}") for number in range(5)]
TEN = datetime(2026, 3, 20, 10, tzinfo=UTC)

Two = tuple[SqlMessageStore, SqlMessageStore]


@pytest.fixture
async def two(address: DatabaseAddress) -> AsyncIterator[Two]:
    """Two stores that know nothing of each other."""
    databases = [await Database.open(address) for _ in range(2)]
    stores = SqlMessageStore(databases[0]), SqlMessageStore(databases[1])
    yield stores
    for store, database in zip(stores, databases, strict=True):
        await store.aclose()
        await database.aclose()


async def say(store: SqlMessageStore, text: str, channel: ChannelName = CHANNELS[0]) -> None:
    await store.append(Utterance(TEN, channel, Nick("lea"), text))


async def test_all_that_both_keep_is_there_in_each_ones_order(
    two: Two, address: DatabaseAddress
) -> None:
    async with asyncio.TaskGroup() as tasks:
        for number in range(250):
            for name, store in zip("ab", two, strict=True):
                # Not in the order of the channels: whoever waits for rows must not do so in a circle.
                channel = CHANNELS[(number * 3 if name == "a" else -number) % 5]
                tasks.create_task(say(store, f"{name}{number}", channel))
            if number % 20 == 0:
                await asyncio.sleep(0)
    for channel in CHANNELS:
        texts = [each.text for each in await two[0].latest(channel, 1000)]
        assert texts == [each.text for each in await two[1].latest(channel, 1000)]
        assert (await two[0].stats(channel)).messages == len(texts) == 100
        for name in "ab":
            numbers = [int(text[1:]) for text in texts if text[0] == name]
            assert numbers == sorted(numbers)
    database = await Database.open(address)
    async with database.reading() as connection:
        assert await connection.scalar(select(func.count()).select_from(MESSAGES)) == 500
    await database.aclose()


async def test_of_two_summaries_of_one_channel_one_is_kept(two: Two) -> None:
    for number in range(10):
        await say(two[0], str(number))
    backlogs = [await store.backlog(CHANNELS[0], 0.8, 1) for store in two]
    assert backlogs[0] is not None
    assert backlogs[0] == backlogs[1]
    done = await asyncio.gather(
        *(store.compact(backlogs[0], name, TEN) for store, name in zip(two, "ab", strict=True))
    )
    assert sorted(done) == [False, True]
    stats = await two[0].stats(CHANNELS[0])
    assert (stats.messages, stats.compactions, stats.compacted_entries) == (2, 1, 8)


async def test_a_store_tells_only_of_channels_in_which_it_kept_something(two: Two) -> None:
    await say(two[0], "x" * 1000)
    assert await two[0].grown(1000) == [CHANNELS[0]]
    assert await two[1].grown(1000) == []


async def test_what_the_database_cannot_keep_takes_nothing_with_it(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    database = await Database.open(address_of("postgres", request, tmp_path))
    store = SqlMessageStore(database)
    async with asyncio.TaskGroup() as tasks:
        before = tasks.create_task(say(store, "avant"))
        refused = tasks.create_task(refusal(store))
        after = tasks.create_task(say(store, "après"))
    assert before.done()
    assert "NUL" in str(refused.result().data["detail"])
    assert after.done()
    assert [each.text for each in await store.latest(CHANNELS[0], 9)] == ["avant", "après"]
    await store.aclose()
    await database.aclose()


async def refusal(store: SqlMessageStore) -> StorageError:
    with pytest.raises(StorageError) as caught:
        await say(store, "jamais", ChannelName("#nul\0"))
    return caught.value
