"""What lies on the disk when a summary takes the place of a channel's oldest lines."""

import asyncio
import gzip
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.support.messages import opened

from palabre.adapters.storage.jsonl import compaction
from palabre.adapters.storage.jsonl.layout import MessageFiles
from palabre.adapters.storage.jsonl.messages import JsonlMessageStore
from palabre.core.chat.model import Backlog, Utterance
from palabre.kernel.errors import StorageError
from palabre.kernel.ids import ChannelName, Nick

GENERAL = ChannelName("#general")
TEN = datetime(2026, 3, 20, 10, tzinfo=UTC)
CONTEXT, ARCHIVE = (
    "context/_general.jsonl",
    "context/archive/_general.20260321T100000000-1.jsonl.gz",
)
LATER = TEN + timedelta(days=1)


async def fill(store: JsonlMessageStore, first: int, count: int) -> None:
    for number in range(first, first + count):
        await store.append(Utterance(TEN, GENERAL, Nick("lea"), f"mot {number}"))


async def backlog_of(store: JsonlMessageStore) -> Backlog:
    found = await store.backlog(GENERAL, 0.8, 1)
    assert found is not None
    return found


def lines(path: Path) -> list[str]:
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line)["text"] for line in content.splitlines()]


def words(first: int, end: int) -> list[str]:
    return [f"mot {number}" for number in range(first, end)]


def leftovers(data: Path) -> list[str]:
    kept = (".jsonl", ".jsonl.gz", ".summary.json", ".index.json")
    return [
        each.name
        for each in data.rglob("context/**/*")
        if each.is_file() and not each.name.endswith(kept)
    ]


async def test_the_old_lines_are_in_the_archive_as_they_were(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await fill(store, 0, 10)
        before = (tmp_path / CONTEXT).read_bytes()
        assert await store.compact(await backlog_of(store), "On parla.", LATER)
        archived = gzip.decompress((tmp_path / ARCHIVE).read_bytes())
        assert archived + (tmp_path / CONTEXT).read_bytes() == before
    assert json.loads((tmp_path / "context/_general.summary.json").read_text()) == {
        "channel": "#general",
        "summaryText": "On parla.",
        "entriesCompacted": 8,
        "lastCompactedAt": "2026-03-21T10:00:00.000Z",
        "totalCompactions": 1,
    }
    assert (tmp_path / ARCHIVE).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / CONTEXT).stat().st_mode & 0o777 == 0o600
    assert leftovers(tmp_path) == []


async def test_two_compactions_at_one_moment_have_two_archives(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        for first in (0, 10):
            await fill(store, first, 10)
            assert await store.compact(await backlog_of(store), "On parla.", LATER)
    archives = sorted((tmp_path / "context/archive").iterdir())
    read = [text for archive in archives for text in lines(archive)]
    assert read + lines(tmp_path / CONTEXT) == words(0, 20)


async def test_counts_and_tails_are_right_while_people_go_on_talking(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await fill(store, 0, 300)
        await store.stats(GENERAL)
        backlog = await backlog_of(store)

        async def look() -> None:
            for _ in range(30):
                said = await store.latest(GENERAL, 20)
                numbers = [int(each.text.split()[1]) for each in said]
                assert numbers == list(range(numbers[0], numbers[0] + 20))
                await store.stats(GENERAL)

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(fill(store, 300, 200))
            tasks.create_task(look())
            done = tasks.create_task(store.compact(backlog, "On parla.", LATER))
        assert done.result()
        stats = await store.stats(GENERAL)
        assert (stats.messages, stats.compacted_entries) == (260, 240)
        assert (await store.totals()).size_bytes == (tmp_path / CONTEXT).stat().st_size
        assert [each.text for each in await store.latest(GENERAL, 999)] == words(240, 500)
    async with opened(tmp_path) as store:
        assert (await store.stats(GENERAL)).messages == 260


async def test_a_file_that_was_moved_away_meanwhile_is_left_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await fill(store, 0, 10)
        backlog = await backlog_of(store)
        (tmp_path / CONTEXT).rename(tmp_path / "moved.jsonl")
        await fill(store, 10, 1)
        assert not await store.compact(backlog, "On parla.", LATER)
        assert lines(tmp_path / CONTEXT) == ["mot 10"]
        assert leftovers(tmp_path) == []


async def test_a_disk_that_refuses_changes_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await fill(store, 0, 10)
        backlog = await backlog_of(store)
        (tmp_path / "context/_general.jsonl.draft").mkdir()
        with pytest.raises(StorageError):
            await store.compact(backlog, "On parla.", LATER)
        (tmp_path / "context/_general.jsonl.draft").rmdir()
        assert lines(tmp_path / CONTEXT) == words(0, 10)
        assert not (tmp_path / ARCHIVE).exists()
        assert (await store.stats(GENERAL)).compactions == 0
        assert await store.compact(backlog, "On parla.", LATER)


@contextmanager
def swapping(data: Path) -> Iterator[compaction._Swap]:
    files = MessageFiles.below(data)
    content = Path(files.context(GENERAL)).read_bytes()
    end = content.rindex(b"\n", 0, content.index(b"mot 8")) + 1
    with compaction.open_context(files.context(GENERAL)) as file:
        assert file
        backlog = Backlog(GENERAL, 8, end, compaction.token_of(file))
        yield compaction._Swap(files, backlog, file, lambda *_: None)


async def test_a_kill_before_the_swap_leaves_the_old_state(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await fill(store, 0, 10)
    with swapping(tmp_path) as swap:
        swap.prepare("On parla.", LATER)
    assert leftovers(tmp_path) != []
    async with opened(tmp_path) as store:
        assert (await store.stats(GENERAL)).compactions == 0
        assert lines(tmp_path / CONTEXT) == words(0, 10)
        assert leftovers(tmp_path) == []


async def test_a_kill_after_the_swap_leaves_the_new_state(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await fill(store, 0, 10)
    with swapping(tmp_path) as swap:
        swap.prepare("On parla.", LATER)
        assert swap.replace()
    async with opened(tmp_path) as store:
        stats = await store.stats(GENERAL)
        assert (stats.messages, stats.compacted_entries, stats.compactions) == (2, 8, 1)
        assert (await store.within(GENERAL, 4000))[0].text == "On parla."
        assert leftovers(tmp_path) == []


async def test_lines_without_sense_are_archived_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "context").mkdir()
    torn = '{"ts":"2026-01-01T00:00:00Z","nick":"a","te\n\n' + "z" * 70_000 + "\n"
    (tmp_path / CONTEXT).write_text(torn)
    async with opened(tmp_path) as store:
        await fill(store, 0, 10)
        backlog = await backlog_of(store)
        assert backlog.entries == 8
        said, _ = await store.passage(backlog, 0, 10_000)
        assert [each.text for each in said] == words(0, 8)
        assert await store.compact(backlog, "On parla.", LATER)
    assert gzip.decompress((tmp_path / ARCHIVE).read_bytes()).decode().startswith(torn)


async def test_a_summary_of_another_program_stands_as_well(tmp_path: Path) -> None:
    (tmp_path / "context").mkdir()
    (tmp_path / "context/_general.summary.json").write_text(
        '{"summaryText":"Avant.","lastCompactedAt":"2026-01-01T00:00:00Z","totalCompactions":2}'
    )
    async with opened(tmp_path) as store:
        await fill(store, 0, 10)
        assert [each.text for each in await store.within(GENERAL, 1000)][:2] == ["Avant.", "mot 0"]
        backlog = await backlog_of(store)
        assert backlog.summary == "Avant."
        assert await store.compact(backlog, "Avant et après.", LATER)
        assert (await store.stats(GENERAL)).compactions == 3


async def test_the_oldest_archive_goes_first(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        for first in (0, 10, 20):
            await fill(store, first, 10)
            assert await store.compact(
                await backlog_of(store), "On parla.", LATER + timedelta(hours=first)
            )
        archives = sorted((tmp_path / "context/archive").iterdir())
        for age, archive in enumerate(reversed(archives)):
            os.utime(archive, (1000 - age, 1000 - age))
        total = await store.tidy(10**9)
        tidied = await store.tidy(total.size_bytes - 1)
        assert tidied.deleted == 1
        assert sorted((tmp_path / "context/archive").iterdir()) == archives[1:]
