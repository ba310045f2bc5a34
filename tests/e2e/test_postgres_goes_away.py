"""A Postgres that stops while people talk, and comes back."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support.lasting_server import Server, simulated_model
from tests.support.postgres import Postgres, running_postgres
from websockets.asyncio.client import connect

from palabre.adapters.storage.sql.address import postgres_address
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.errors import DatabaseAwayError
from palabre.adapters.storage.sql.rooms.messages import SqlMessageStore
from palabre.core.chat.model import Utterance
from palabre.kernel.ids import ChannelName, Nick

pytestmark = pytest.mark.e2e

GENERAL = ChannelName("#general")
NOW = datetime(2026, 3, 20, 10, tzinfo=UTC)
DEADLINE_S = 60


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    """A server of its own: the others' must not stop."""
    with running_postgres() as server:
        yield server


async def appended(store: SqlMessageStore, text: str, second: int) -> None:
    await store.append(Utterance(NOW + timedelta(seconds=second), GENERAL, Nick("lea"), text))


async def test_messages_are_refused_while_it_is_away_and_taken_again_afterwards(
    postgres: Postgres,
) -> None:
    database = await Database.open(postgres_address(postgres.new_database()))
    store = SqlMessageStore(database)
    await appended(store, "avant", 0)
    assert len(await store.latest(GENERAL, 9)) == 1

    await asyncio.to_thread(postgres.stop)
    for second in (1, 2):
        async with asyncio.timeout(10):
            with pytest.raises(DatabaseAwayError):
                await appended(store, "perdu", second)
            with pytest.raises(DatabaseAwayError) as caught:
                await store.latest(GENERAL, 9)
            assert caught.value.data == {}

    await asyncio.to_thread(postgres.start)
    await appended(store, "après", 3)
    assert [each.text for each in await store.latest(GENERAL, 9)] == ["avant", "après"]
    await store.aclose()
    await database.aclose()


async def test_a_server_in_production_tells_people_and_goes_on_when_it_is_back(
    postgres: Postgres, tmp_path: Path
) -> None:
    script = tmp_path / "script.toml"
    script.write_text('[[answer]]\ntext = "Oui."\n', encoding="utf-8")
    variables = {"DATABASE_URL": postgres.new_database(), "PALABRE_ENV": "production"}
    with (
        simulated_model(script) as model_url,
        Server(tmp_path, model_url, variables).running() as server,
    ):
        async with connect(f"{server.socket_url}?nick=ana") as ana:
            await ana.send('{"type": "message", "text": "Avant"}')
            await told(ana, '"text":"Avant"')
            await asyncio.to_thread(postgres.stop)
            await ana.send('{"type": "message", "text": "Pendant"}')
            refusal = await told(ana, "La base de données ne répond pas")
            assert "Pendant" not in refusal
            assert str(postgres.url.query["host"]) not in refusal
            await asyncio.to_thread(postgres.start)
            await ana.send('{"type": "message", "text": "Ensuite"}')
            await told(ana, '"text":"Ensuite"')
        async with connect(f"{server.socket_url}?nick=bob") as bob:
            replayed = await told(bob, "Fin de l'historique")
            assert "Avant" in replayed
            assert "Ensuite" in replayed
            assert "Pendant" not in replayed
    assert not (tmp_path / "data" / "chat-logs").exists()
    assert "Traceback" not in (tmp_path / "serve.log").read_text()


async def told(client: Any, part: str) -> str:
    """Return all that the client is told up to what holds *part*."""
    read = ""
    async with asyncio.timeout(DEADLINE_S):
        while part not in read:
            read += str(await client.recv())
    return read
