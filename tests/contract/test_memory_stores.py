"""What every `MemoryStore` does."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.support.databases import KINDS, address_of

from palabre.adapters.storage.json_memories.record_file import write_record
from palabre.adapters.storage.json_memories.store import JsonMemoryStore
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.memories import SqlMemoryStore
from palabre.core.memory.model import Memory, Record
from palabre.core.memory.ports import Edit, MemoryStore
from palabre.kernel.ids import Nick, PersonaId
from palabre.testing.memories import StaticMemoryStore

RAIN = Memory(("Aime la pluie",), "On parla de mort", datetime(2026, 3, 20, 10, tzinfo=UTC))

BATTY = PersonaId("batty"), Nick("Batty")


def static(_: Path) -> MemoryStore:
    return StaticMemoryStore(Batty=RAIN)


def current(data_dir: Path) -> MemoryStore:
    working = {"facts": RAIN.facts, "summary": RAIN.summary}
    record = {"version": 2, "workingMemory": working, "updatedAt": "2026-03-20T10:00:00Z"}
    return _json(data_dir, "v2-local/persona-memory/batty.json", record)


def legacy(data_dir: Path) -> MemoryStore:
    record = {
        "facts": RAIN.facts,
        "summary": RAIN.summary,
        "lastUpdated": "2026-03-20T10:00:00Z",
    }
    return _json(data_dir, "persona-memory/Batty.json", record)


def _json(data_dir: Path, name: str, record: object) -> MemoryStore:
    path = data_dir / name
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(record), encoding="utf-8")
    return JsonMemoryStore(data_dir)


@pytest.fixture(params=[static, current, legacy, *KINDS])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[MemoryStore]:
    if not isinstance(request.param, str):
        yield request.param(tmp_path)
        return
    database = await Database.open(address_of(request.param, request, tmp_path))
    store = SqlMemoryStore(database)
    given = Record(*BATTY, RAIN.facts, RAIN.summary, updated_at=RAIN.updated_at)
    await store.take_over(BATTY[0], write_record(given, 20, None).decode())
    yield store
    await database.aclose()


async def test_a_persona_remembers_what_is_kept_of_it(store: MemoryStore) -> None:
    assert await store.recall(PersonaId("batty"), Nick("Batty")) == RAIN


async def test_others_remember_nothing(store: MemoryStore) -> None:
    assert await store.recall(PersonaId("cage"), Nick("Cage")) == Memory()


def adding(fact: str) -> Edit:
    return lambda record: replace(record, facts=(*record.facts, fact))


async def test_a_change_is_there_for_whoever_asks_next(store: MemoryStore) -> None:
    changed = await store.revise(*BATTY, adding("Il rêve"))
    assert changed.facts == ("Aime la pluie", "Il rêve")
    assert await store.record(*BATTY) == changed
    assert (await store.recall(*BATTY)).facts == changed.facts


async def test_changes_are_taken_back_one_at_a_time(store: MemoryStore) -> None:
    for fact in ("un", "deux"):
        await store.revise(*BATTY, adding(fact))
    for facts in (("Aime la pluie", "un"), ("Aime la pluie",)):
        undone = await store.undo(*BATTY)
        assert undone is not None
        assert undone.facts == facts
        assert (await store.recall(*BATTY)).facts == facts
    assert await store.undo(*BATTY) is None
    assert (await store.recall(*BATTY)).facts == ("Aime la pluie",)


async def test_an_edit_that_changes_nothing_leaves_no_step(store: MemoryStore) -> None:
    await store.revise(*BATTY, lambda record: record)
    assert await store.undo(*BATTY) is None


async def test_a_dropped_history_has_nothing_to_go_back_to(store: MemoryStore) -> None:
    await store.revise(*BATTY, adding("secret"))
    await store.drop_history(BATTY[0])
    assert await store.undo(*BATTY) is None
    assert "secret" in (await store.recall(*BATTY)).facts


async def test_a_persona_that_remembers_nothing_can_learn(store: MemoryStore) -> None:
    cage = PersonaId("cage"), Nick("Cage")
    await store.revise(*cage, adding("Aime le silence"))
    assert (await store.recall(*cage)).facts == ("Aime le silence",)
    undone = await store.undo(*cage)
    assert undone is not None
    assert undone.facts == ()
    assert (await store.recall(*BATTY)).facts == ("Aime la pluie",)


async def test_an_edit_that_fails_changes_nothing(store: MemoryStore) -> None:
    def refuse(record: Record) -> Record:
        raise IndexError(3)

    with pytest.raises(IndexError):
        await store.revise(*BATTY, refuse)
    assert await store.recall(*BATTY) == RAIN
    assert await store.undo(*BATTY) is None


async def test_changes_at_once_are_all_kept(store: MemoryStore) -> None:
    async with asyncio.TaskGroup() as group:
        for number in range(12):
            group.create_task(store.revise(*BATTY, adding(str(number))))
    facts = (await store.record(*BATTY)).facts
    assert sorted(facts) == sorted(["Aime la pluie", *map(str, range(12))])


async def test_a_memory_holds_whatever_was_said(store: MemoryStore) -> None:
    odd = "a\0b \u2028 🎧 \"'\\"
    await store.revise(*BATTY, adding(odd))
    assert (await store.record(*BATTY)).facts[-1] == odd
