"""Knowledge that is there at once: what is told of it, and what it does in the background."""

import asyncio
from contextlib import suppress
from pathlib import Path

from sqlalchemy import insert

from palabre.adapters.storage.sql.address import sqlite_address
from palabre.adapters.storage.sql.database import thread_connection
from palabre.adapters.storage.sql.schema.knowledge import EMBEDDERS
from palabre.app.knowledge import RunningKnowledge, opened_knowledge, told
from palabre.app.settings import Settings
from palabre.app.surroundings import ThisMachine
from palabre.core.knowledge.model import SourceText
from palabre.core.models.registry import ModelRegistry
from palabre.testing.clock import FrozenClock
from palabre.testing.ids import CountingIds
from palabre.testing.models import ScriptedProvider


def settings(data_dir: Path) -> Settings:
    return Settings(data_dir=data_dir, language="en", knowledge={"manifesto": False})


def no_models() -> ModelRegistry:
    return ModelRegistry([ScriptedProvider(name="ollama")], default_model="x", clock=FrozenClock())


def running(data_dir: Path) -> RunningKnowledge:
    return RunningKnowledge(settings(data_dir), no_models(), FrozenClock(), CountingIds())


def listed(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir()]


async def ended(task: asyncio.Future[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def test_before_it_is_opened_it_says_so(tmp_path: Path) -> None:
    state = await running(tmp_path).state()
    assert (state.ok, state.detail) == (True, "the database is being opened")


async def test_a_question_opens_it_without_waiting_for_its_time(tmp_path: Path) -> None:
    knowledge = running(tmp_path)
    task = asyncio.ensure_future(knowledge.run())
    assert await knowledge.find("Moka ?") == ()
    assert await knowledge.count_documents() == 0
    assert (await knowledge.state()).ok
    await ended(task)


async def test_a_database_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    (tmp_path / "palabre.db").mkdir()
    knowledge = running(tmp_path)
    task = asyncio.ensure_future(knowledge.run())
    async with asyncio.timeout(30):
        while (await knowledge.state()).ok:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.02)
    assert (await knowledge.state()).detail == "the database does not answer, the log says why"
    await ended(task)


async def test_documents_that_wait_for_an_embedder_are_counted(tmp_path: Path) -> None:
    own = settings(tmp_path)
    async with opened_knowledge(own, no_models(), FrozenClock(), CountingIds()) as service:
        assert (await told(service, own)).ok
        await service.add(SourceText("s", "t", "Le chat Moka dort."))
        state = await told(service, own)
    assert not state.ok
    assert state.detail.startswith("1, 1 of them found by words alone")


async def test_an_embedder_that_went_away_is_told_by_its_name(tmp_path: Path) -> None:
    async with opened_knowledge(
        settings(tmp_path), no_models(), FrozenClock(), CountingIds()
    ) as service:
        address = sqlite_address(tmp_path)
        with thread_connection(address, writes=True) as connection:
            row = {"ref": "ollama/nomic", "dimensions": 8, "wished": "nomic"}
            connection.execute(insert(EMBEDDERS), row)
        state = await told(service, settings(tmp_path))
    assert not state.ok
    assert "ollama/nomic, which made their vectors, does not answer" in state.detail


async def test_the_doctor_makes_no_database(tmp_path: Path) -> None:
    machine = ThisMachine(settings(tmp_path))
    assert (await machine.knowledge()).ok
    assert listed(tmp_path) == []
    (tmp_path / "palabre.db").mkdir()
    assert not (await machine.knowledge()).ok
