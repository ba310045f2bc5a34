import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from palabre.adapters.storage.json_memories.store import MAX_FILE_BYTES, JsonMemoryStore
from palabre.core.memory.model import Memory
from palabre.kernel.ids import Nick, PersonaId

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
    assert (await recall(tmp_path)).updated_at == expected
