import asyncio
import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from palabre.adapters.storage.json_memories.history import MAX_KEPT
from palabre.adapters.storage.json_memories.store import MAX_FILE_BYTES, JsonMemoryStore
from palabre.core.memory.errors import MemoryUnusableError
from palabre.core.memory.model import ArchivedFact, ArchivedSummary, Memory, Record
from palabre.core.memory.ports import Edit
from palabre.kernel.ids import Nick, PersonaId

BATTY, NICK = PersonaId("batty"), Nick("Batty")
CURRENT, LEGACY = "v2-local/persona-memory/batty.json", "persona-memory/Batty.json"


def write(data_dir: Path, name: str, content: str) -> None:
    path = data_dir / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


async def recall(data_dir: Path, nick: str = "Batty") -> Memory:
    return await JsonMemoryStore(data_dir).recall(PersonaId("batty"), Nick(nick))


async def test_the_current_form_wins_over_that_of_earlier_installations(tmp_path: Path) -> None:
    write(tmp_path, CURRENT, '{"workingMemory":{"facts":["neuf"]},"more":1}')
    write(tmp_path, LEGACY, '{"facts":["vieux"]}')
    assert (await recall(tmp_path)).facts == ("neuf",)


NESTED = '{"more":' + "[" * 100_000


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"facts":3}', '"' + "x" * MAX_FILE_BYTES, NESTED]
)
async def test_a_file_without_sense_is_nothing_remembered_and_logged_by_name(
    tmp_path: Path, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path, LEGACY, content)
    assert await recall(tmp_path) == Memory()
    assert "Batty.json" in caplog.text


async def test_no_name_leads_out_of_the_directory(tmp_path: Path) -> None:
    write(tmp_path, "secret.json", '{"facts":["secret"]}')
    (tmp_path / "persona-memory").mkdir()
    assert await recall(tmp_path, "../secret") == Memory()


@pytest.mark.parametrize("kind", ["pipe", "link", "directory"])
async def test_only_a_plain_file_is_read(
    tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path, CURRENT, "{}")
    path = tmp_path / CURRENT
    path.unlink()
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "link":
            write(tmp_path, "secret.json", '{"workingMemory":{"facts":["secret"]}}')
            path.symlink_to(tmp_path / "secret.json")
        case _:
            path.mkdir()
    assert await recall(tmp_path) == Memory()
    assert "batty.json" in caplog.text


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026-03-20T10:00:00+02:00", datetime(2026, 3, 20, 8, tzinfo=UTC)),
        ("2026-03-20T10:00:00", datetime(2026, 3, 20, 10, tzinfo=UTC)),
        ("0001-01-01T00:00:00+02:00", None),
    ],
)
async def test_the_last_change_is_told_in_utc(
    tmp_path: Path, written: str, expected: datetime | None
) -> None:
    write(tmp_path, CURRENT, f'{{"workingMemory":{{}},"updatedAt":"{written}"}}')
    found = (await recall(tmp_path)).updated_at
    assert found == expected
    assert found is None or found.tzinfo is UTC
    (tmp_path / CURRENT).unlink()
    write(tmp_path, LEGACY, f'{{"lastUpdated":"{written}"}}')
    os.utime(tmp_path / LEGACY, (0, 0))
    assert (await recall(tmp_path)).updated_at == (expected or datetime(1970, 1, 1, tzinfo=UTC))


NOW = datetime(2026, 3, 25, 18, 42, tzinfo=UTC)


def learns(fact: str) -> Edit:
    return lambda record: replace(record, facts=(*record.facts, fact), updated_at=NOW)


async def keep(data_dir: Path, *facts: str) -> Record:
    store = JsonMemoryStore(data_dir)
    record = await store.record(PersonaId("batty"), Nick("Batty"))
    for fact in facts:
        record = await store.revise(PersonaId("batty"), Nick("Batty"), learns(fact))
    return record


async def test_the_file_has_the_fields_of_the_contract_in_their_order(tmp_path: Path) -> None:
    archived = ArchivedFact("Aime la pluie", NOW, NOW)
    full = Record(
        PersonaId("batty"),
        Nick("Batty"),
        ("Aime la pluie",),
        "On parla de pluie",
        ("J'aime la pluie",),
        (archived, replace(archived, text="Vit", id="fact_1", author="lea", message_at=NOW)),
        (ArchivedSummary("On parla de pluie", NOW),),
        NOW,
    )
    store = JsonMemoryStore(tmp_path)
    await store.revise(full.persona, full.nick, lambda _: full)
    at = "2026-03-25T18:42:00.000Z"
    seen = {"firstSeenAt": at, "lastSeenAt": at, "source": "chat"}
    assert (tmp_path / CURRENT).read_text() == inline(
        {
            "version": 2,
            "personaId": "batty",
            "personaNick": "Batty",
            "updatedAt": at,
            "workingMemory": {
                "facts": ["Aime la pluie"],
                "summary": "On parla de pluie",
                "lastSourceMessages": ["J'aime la pluie"],
            },
            "archivalMemory": {
                "facts": [
                    {"text": "Aime la pluie", **seen},
                    {"text": "Vit", **seen, "id": "fact_1", "author": "lea", "messageAt": at},
                ],
                "summaries": [{"text": "On parla de pluie", "createdAt": at}],
            },
            "compat": {
                "facts": ["Aime la pluie"],
                "summary": "On parla de pluie",
                "lastUpdated": at,
            },
        }
    )
    assert (tmp_path / LEGACY).read_text() == inline(
        {
            "nick": "Batty",
            "facts": ["Aime la pluie"],
            "summary": "On parla de pluie",
            "lastUpdated": at,
        }
    )
    assert await store.record(full.persona, full.nick) == full


def inline(content: object) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


async def test_a_lone_file_of_earlier_programs_is_taken_over_and_stays(tmp_path: Path) -> None:
    legacy = '{"nick":"Batty","facts":["vieux"],"summary":"s","lastUpdated":"2026-01-01T00:00:00Z"}'
    write(tmp_path, LEGACY, legacy)
    assert (await recall(tmp_path)).facts == ("vieux",)
    taken = json.loads((tmp_path / CURRENT).read_text())
    assert taken["workingMemory"]["facts"] == ["vieux"]
    assert taken["archivalMemory"]["facts"][0]["firstSeenAt"] == "2026-01-01T00:00:00.000Z"
    assert (tmp_path / LEGACY).read_text() == legacy


async def test_the_file_of_somebody_whose_nick_only_looks_alike_is_not_taken(
    tmp_path: Path,
) -> None:
    write(tmp_path, "persona-memory/H_l_ne.json", '{"nick":"Hèlène","facts":["autre"]}')
    assert await recall(tmp_path, "Hélène") == Memory()


async def test_a_file_without_sense_is_put_aside_and_never_overwritten(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for number, content in ((1, "{torn"), (2, '{"version":3,"workingMemory":{}}')):
        write(tmp_path, CURRENT, content)
        await keep(tmp_path, "neuf")
        aside = tmp_path / f"{CURRENT}.unreadable-{number}"
        assert aside.read_text() == content
        assert aside.name in caplog.text
    assert (await recall(tmp_path)).facts == ("neuf", "neuf")


async def test_fields_of_other_programs_outlive_a_change(tmp_path: Path) -> None:
    write(
        tmp_path,
        CURRENT,
        json.dumps(
            {
                "mood": "blue",
                "workingMemory": {"facts": ["a"], "weights": [1]},
                "archivalMemory": {"facts": [{"text": "a", "score": 3}], "kind": "x"},
            }
        ),
    )
    await keep(tmp_path, "b")
    found = json.loads((tmp_path / CURRENT).read_text())
    assert found["mood"] == "blue"
    assert found["workingMemory"] == {
        "facts": ["a", "b"],
        "summary": "",
        "lastSourceMessages": [],
        "weights": [1],
    }
    assert found["archivalMemory"]["facts"][0]["score"] == 3
    assert found["archivalMemory"]["kind"] == "x"


async def test_the_copy_for_earlier_programs_holds_the_newest_facts_that_it_may(
    tmp_path: Path,
) -> None:
    store = JsonMemoryStore(tmp_path, compat_facts=1)
    for fact in ("a", "b"):
        await store.revise(PersonaId("batty"), Nick("Batty"), learns(fact))
    assert json.loads((tmp_path / LEGACY).read_text())["facts"] == ["b"]
    assert json.loads((tmp_path / CURRENT).read_text())["compat"]["facts"] == ["b"]


async def test_only_the_newest_changes_can_be_taken_back(tmp_path: Path) -> None:
    await keep(tmp_path, *map(str, range(MAX_KEPT + 3)))
    store = JsonMemoryStore(tmp_path)
    steps = 0
    while await store.undo(PersonaId("batty"), Nick("Batty")):
        steps += 1
    assert steps == MAX_KEPT
    assert (await recall(tmp_path)).facts == ("0", "1", "2")
    assert json.loads((tmp_path / LEGACY).read_text())["facts"] == ["0", "1", "2"]


async def test_a_kill_between_history_and_file_costs_no_step(tmp_path: Path) -> None:
    await keep(tmp_path, "a", "b")
    present = (tmp_path / CURRENT).read_bytes()
    history = tmp_path / "v2-local/persona-memory/history/batty"
    (history / "000009.json").write_bytes(present)
    store = JsonMemoryStore(tmp_path)
    undone = await store.undo(PersonaId("batty"), Nick("Batty"))
    assert undone is not None
    assert undone.facts == ("a",)


async def test_two_programs_lose_nothing_of_each_other(tmp_path: Path) -> None:
    one, other = JsonMemoryStore(tmp_path), JsonMemoryStore(tmp_path)
    async with asyncio.TaskGroup() as tasks:
        for number in range(20):
            store = one if number % 2 else other
            tasks.create_task(store.revise(PersonaId("batty"), Nick("Batty"), learns(str(number))))
    assert set((await recall(tmp_path)).facts) == set(map(str, range(20)))


async def test_a_directory_that_takes_nothing_is_an_error_that_says_why(tmp_path: Path) -> None:
    (tmp_path / "v2-local").write_text("")
    with pytest.raises(MemoryUnusableError):
        await keep(tmp_path, "a")


async def test_files_are_their_owners_alone(tmp_path: Path) -> None:
    await keep(tmp_path, "a")
    assert (tmp_path / CURRENT).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / CURRENT).parent.stat().st_mode & 0o777 == 0o700


async def test_a_file_of_earlier_programs_is_read_though_it_cannot_be_taken_over(
    tmp_path: Path,
) -> None:
    write(tmp_path, LEGACY, '{"facts":["vieux"]}')
    (tmp_path / "v2-local/persona-memory/.lock").mkdir(parents=True)
    assert (await recall(tmp_path)).facts == ("vieux",)


@contextmanager
def held(data_dir: Path) -> Iterator[None]:
    """Hold the memories, as a program that was stopped in the middle does."""
    directory = data_dir / "v2-local" / "persona-memory"
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


async def test_a_program_that_stands_still_with_the_memories_stops_nobody_else(
    tmp_path: Path,
) -> None:
    """Before, each change took a thread of all for ever, and soon nothing was done any more."""
    store = JsonMemoryStore(tmp_path, patience_s=1)
    await store.revise(BATTY, NICK, lambda found: replace(found, summary="avant"))
    with held(tmp_path):
        changes = [
            asyncio.create_task(store.revise(BATTY, NICK, lambda found: replace(found, summary="")))
            for _ in range(40)
        ]
        async with asyncio.timeout(30):
            assert (await store.recall(BATTY, NICK)).summary == "avant"
            with pytest.raises(MemoryUnusableError):
                await changes[0]
        for change in changes:
            change.cancel()
        await asyncio.gather(*changes, return_exceptions=True)
    await store.revise(BATTY, NICK, lambda found: replace(found, summary="après"))
    assert (await store.recall(BATTY, NICK)).summary == "après"


async def test_an_earlier_memory_is_read_while_somebody_holds_them(tmp_path: Path) -> None:
    legacy = tmp_path / "persona-memory"
    legacy.mkdir()
    (legacy / f"{NICK}.json").write_text('{"facts": ["aime Xenakis"], "summary": ""}')
    with held(tmp_path):
        async with asyncio.timeout(30):
            assert (await JsonMemoryStore(tmp_path).recall(BATTY, NICK)).facts == ("aime Xenakis",)
