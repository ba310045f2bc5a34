"""What every `MemoryStore` does."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from palabre.adapters.storage.json_memories.store import JsonMemoryStore
from palabre.core.memory.model import Memory
from palabre.core.memory.ports import MemoryStore
from palabre.kernel.ids import Nick, PersonaId
from palabre.testing.memories import StaticMemoryStore

RAIN = Memory(("Aime la pluie",), "On parla de mort", datetime(2026, 3, 20, 10, tzinfo=UTC))


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


@pytest.fixture(params=[static, current, legacy])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> MemoryStore:
    return request.param(tmp_path)


async def test_a_persona_remembers_what_is_kept_of_it(store: MemoryStore) -> None:
    assert await store.recall(PersonaId("batty"), Nick("Batty")) == RAIN


async def test_others_remember_nothing(store: MemoryStore) -> None:
    assert await store.recall(PersonaId("cage"), Nick("Cage")) == Memory()
