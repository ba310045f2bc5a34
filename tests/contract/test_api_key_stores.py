"""What every `ApiKeyStore` does, whatever it keeps keys in."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.support.databases import address_of

from palabre.adapters.storage.sql.api_keys import SqlApiKeyStore
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.ledger import SqlLedger
from palabre.core.audit.model import THE_MACHINE
from palabre.core.auth.api_keys import ApiKey, ApiKeyStore, Scope
from palabre.core.auth.key_errors import KeyNameTakenError
from palabre.testing.api_keys import MemoryApiKeyStore
from palabre.testing.clock import FrozenClock

TEN = datetime(2026, 3, 20, 10, 0, 0, 123_000, tzinfo=UTC)
DAY = timedelta(days=1)
CLIENT = ApiKey("key_1", "Client", "1" * 64, frozenset({Scope.CHAT, Scope.MCP}), TEN)
ENDING = ApiKey("key_2", "other", "2" * 64, frozenset({Scope.AUDIO}), TEN, TEN + DAY)


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ApiKeyStore]:
    if request.param == "memory":
        yield MemoryApiKeyStore()
        return
    database = await Database.open(address_of(request.param, request, tmp_path))
    yield SqlApiKeyStore(database)
    await database.aclose()


async def test_a_key_is_found_by_its_fingerprint_as_it_was_added(store: ApiKeyStore) -> None:
    await store.add(CLIENT)
    await store.add(ENDING)
    assert await store.find("1" * 64) == CLIENT
    assert await store.find("2" * 64) == ENDING
    assert await store.find("3" * 64) is None


async def test_keys_are_listed_oldest_first(store: ApiKeyStore) -> None:
    await store.add(replace(CLIENT, created_at=TEN + DAY))
    await store.add(ENDING)
    assert [each.id for each in await store.all()] == ["key_2", "key_1"]


async def test_a_name_is_taken_in_every_case(store: ApiKeyStore) -> None:
    await store.add(CLIENT)
    with pytest.raises(KeyNameTakenError) as caught:
        await store.add(replace(ENDING, name="cLIENT"))
    assert caught.value.data == {"name": "cLIENT"}
    assert await store.all() == [CLIENT]


async def test_of_one_name_added_at_once_one_is_kept(store: ApiKeyStore) -> None:
    keys = [replace(CLIENT, id=f"key_{n}", fingerprint=f"{n}" * 64) for n in range(4)]
    outcomes = await asyncio.gather(*map(store.add, keys), return_exceptions=True)
    assert sum(isinstance(each, KeyNameTakenError) for each in outcomes) == 3
    assert len(await store.all()) == 1


async def test_a_use_is_noted_on_its_key_alone(store: ApiKeyStore) -> None:
    await store.add(CLIENT)
    await store.add(ENDING)
    await store.note_use("key_2", TEN + DAY)
    await store.note_use("key_9", TEN)
    assert await store.all() == [CLIENT, replace(ENDING, used_at=TEN + DAY)]


async def test_a_removed_key_is_gone_and_its_name_free(store: ApiKeyStore) -> None:
    await store.add(CLIENT)
    await store.add(ENDING)
    await store.remove("key_1")
    await store.remove("key_9")
    assert await store.find(CLIENT.fingerprint) is None
    again = replace(CLIENT, id="key_3", name="CLIENT")
    await store.add(again)
    assert await store.find(CLIENT.fingerprint) == again
    assert len(await store.all()) == 2


async def test_a_key_whose_entry_is_not_written_is_not_kept(database: Database) -> None:
    store, ledger = SqlApiKeyStore(database), SqlLedger(database, FrozenClock())
    with pytest.raises(RuntimeError):
        async with ledger.recording(THE_MACHINE, "api_key.create", "key_1"):
            await store.add(CLIENT)
            raise RuntimeError
    assert await store.all() == []
