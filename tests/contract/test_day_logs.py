"""Logs of days are followed into either database, whatever happens to the files."""

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest

from palabre.adapters.storage.day_logs import follower as followers
from palabre.adapters.storage.day_logs.day_file import MAX_PIECE_LINES
from palabre.adapters.storage.day_logs.follower import LogFollower
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.history.log_offsets import EMPTYING, LogOffsets, Offset
from palabre.adapters.storage.sql.history.store import SqlHistoryStore
from palabre.core.history.model import Swept, Wanted

DAY = date(2026, 3, 20)


def line(words: str, **other: object) -> bytes:
    fields = {"ts": "2026-03-20T10:00:00.000Z", "channel": "#general", "nick": "lea"}
    return json.dumps({**fields, "type": "message", "text": words, **other}).encode() + b"\n"


@dataclass
class Logs:
    data_dir: Path
    database: Database

    def __post_init__(self) -> None:
        self.store = SqlHistoryStore(self.database)
        self.offsets = LogOffsets(self.database)
        self.follower = self.another()
        self.folder.mkdir(parents=True)

    @property
    def folder(self) -> Path:
        return self.data_dir / "chat-logs"

    def another(self) -> LogFollower:
        """Return a follower that knows nothing, as another process has one."""
        return LogFollower(self.data_dir, LogOffsets(self.database))

    def file(self, day: date = DAY) -> Path:
        return self.folder / f"v2-{day.isoformat()}.jsonl"

    def write(self, *lines: bytes, day: date = DAY) -> None:
        self.file(day).write_bytes(b"".join(lines))

    def add(self, *lines: bytes, day: date = DAY) -> None:
        with self.file(day).open("ab") as file:
            file.write(b"".join(lines))

    async def texts(self, day: date = DAY) -> list[str]:
        """Catch up, and return what the database has of *day*."""
        assert await self.follower.catch_up(None)
        page = await self.store.of_day(day, 100_000, 0)
        if page is None:
            return []
        assert page.total == len(page.lines)
        return [each.text for each in page.lines]

    async def found(self, words: str) -> int:
        return len(await self.store.search(Wanted(words, 200)))


@pytest.fixture
async def logs(tmp_path: Path, database: Database) -> AsyncIterator[Logs]:
    yield Logs(tmp_path / "followed", database)


async def test_what_is_written_is_found_and_only_what_is_new_is_read(logs: Logs) -> None:
    logs.write(line("un"), line("deux"))
    assert await logs.texts() == ["un", "deux"]
    logs.add(line("trois"))
    assert await logs.texts() == ["un", "deux", "trois"]
    assert (await logs.offsets.days())[DAY].lines == 3
    assert await logs.found("un") == 1


async def test_a_line_that_is_half_written_waits_for_its_end(logs: Logs) -> None:
    whole = line("en deux fois é")
    for cut in (1, len(whole) // 2, len(whole) - 1):
        logs.write(line("avant"), whole[:cut])
        assert await logs.texts() == ["avant"]
    logs.add(whole[-1:])
    assert await logs.texts() == ["avant", "en deux fois é"]


@pytest.mark.parametrize(
    "bad",
    [
        b"no json",
        b"{",
        b"[1, 2]",
        b"null",
        b'{"text": 5}',
        b'{"nick": "x"}',
        b"\xff\xfe",
        b"[" * 5000,
    ],
)
async def test_a_line_that_makes_no_sense_is_kept_raw_among_the_others(
    logs: Logs, bad: bytes
) -> None:
    logs.write(line("avant"), bad + b"\n", line("après"))
    assert await logs.texts() == ["avant", bad.decode("utf-8", "replace"), "après"]
    page = await logs.store.of_day(DAY, 9, 0)
    assert page is not None
    assert [each.kind for each in page.lines] == ["message", "raw", "message"]


async def test_odd_lines_are_read_as_far_as_they_make_sense(logs: Logs) -> None:
    logs.write(
        b"\xef\xbb\xbf" + line("marque"),
        b"\n",
        line("sans heure", ts="hier"),
        line("sans nick", nick=None),
        line("autre genre", type="image"),
        line("nul\0et demi \ud83d"),
        line("fin du monde", ts="9999-12-31T23:59:59-12:00"),
    )
    texts = ["marque", "sans heure", "sans nick", "autre genre", "nul\ufffdet demi \ufffd"]
    assert await logs.texts() == [*texts, "fin du monde"]
    assert await logs.found("demi") == 1


async def test_a_line_that_is_far_too_long_stops_nothing(logs: Logs) -> None:
    logs.write(line("avant"), line("x" * 2_000_000), line("après"))
    texts = await logs.texts()
    assert (texts[0], texts[-1], len(texts)) == ("avant", "après", 3)


async def test_a_log_that_was_cut_is_read_again(logs: Logs) -> None:
    logs.write(line("un"), line("deux"), line("trois"))
    await logs.texts()
    logs.write(line("un"))
    assert await logs.texts() == ["un"]
    assert await logs.found("deux") == 0
    logs.write(line("un"), line("quatre"))
    assert await logs.texts() == ["un", "quatre"]


async def test_a_log_that_was_replaced_is_read_again_even_if_it_is_longer(logs: Logs) -> None:
    logs.write(line("ancien"), line("texte"))
    await logs.texts()
    logs.write(line("nouveau"), line("contenu"), line("plus long que le premier"))
    assert await logs.texts() == ["nouveau", "contenu", "plus long que le premier"]
    assert await logs.found("ancien") == 0


async def test_a_log_that_was_deleted_is_forgotten(logs: Logs) -> None:
    other = date(2026, 3, 21)
    logs.write(line("perdu"))
    logs.write(line("gardé"), day=other)
    await logs.texts()
    logs.file().unlink()
    assert await logs.texts() == []
    assert (await logs.found("perdu"), await logs.found("gardé")) == (0, 1)
    assert list(await logs.offsets.days()) == [other]


async def test_a_log_that_was_deleted_while_nobody_looked_is_forgotten(logs: Logs) -> None:
    logs.write(line("perdu"))
    await logs.texts()
    logs.file().unlink()
    logs.follower = logs.another()
    assert await logs.texts() == []
    assert await logs.found("perdu") == 0


async def test_a_follower_that_was_killed_between_two_pieces_leaves_no_gap_and_no_double(
    logs: Logs,
) -> None:
    count = MAX_PIECE_LINES * 2 + 10
    logs.write(*(line(f"mot {number}") for number in range(count)))
    assert not await logs.follower.catch_up(0.0)
    begun = (await logs.offsets.days())[DAY].lines
    assert 0 < begun < count
    logs.follower = logs.another()
    assert await logs.texts() == [f"mot {number}" for number in range(count)]


async def test_a_day_that_was_being_emptied_is_begun_again(logs: Logs) -> None:
    logs.write(line("un"), line("deux"))
    await logs.texts()
    before = (await logs.offsets.days())[DAY]
    await logs.offsets.advance(DAY, before, Offset(lines=EMPTYING), [])
    logs.follower = logs.another()
    assert await logs.texts() == ["un", "deux"]


async def test_two_processes_read_one_log_without_gap_or_double(logs: Logs) -> None:
    count = MAX_PIECE_LINES * 3
    logs.write(*(line(f"mot {number}") for number in range(count)))
    await asyncio.gather(*(logs.another().catch_up(None) for _ in range(2)))
    assert await logs.texts() == [f"mot {number}" for number in range(count)]


async def test_two_processes_read_a_replaced_log_again_without_gap_or_double(logs: Logs) -> None:
    logs.write(*(line(f"ancien {number}") for number in range(700)))
    await logs.texts()
    logs.write(*(line(f"nouveau numéro {number}") for number in range(900)))
    await asyncio.gather(*(logs.another().catch_up(None) for _ in range(2)))
    assert await logs.texts() == [f"nouveau numéro {number}" for number in range(900)]
    assert await logs.found("ancien") == 0


async def test_the_newest_day_comes_first_where_time_is_short(logs: Logs) -> None:
    days = [date(2026, 3, number) for number in (18, 19, 20)]
    for day in days:
        logs.write(line(f"du {day.day}"), day=day)
    assert not await logs.follower.catch_up(0.0)
    assert list(await logs.offsets.days()) == [days[-1]]


async def test_what_is_no_log_is_left_alone(logs: Logs, tmp_path: Path) -> None:
    outside = tmp_path / "secret.jsonl"
    outside.write_bytes(line("secret"))
    (logs.folder / "v2-2026-03-19.jsonl").symlink_to(outside)
    (logs.folder / "v2-2026-13-45.jsonl").write_bytes(line("mois 13"))
    (logs.folder / "v2-2026-03-18.jsonl").mkdir()
    (logs.folder / "v2-2026-03-20.jsonl.bak").write_bytes(line("copie"))
    os.mkfifo(logs.folder / "v2-2026-03-17.jsonl")
    logs.write(line("vrai"))
    assert await logs.texts() == ["vrai"]
    assert len(await logs.store.days(30)) == 1


@pytest.mark.parametrize("day", [date.min, date(1969, 12, 31), date.max])
async def test_a_day_at_the_end_of_time_is_a_day(day: date, logs: Logs) -> None:
    logs.write(line("un"), line("deux"), day=day)
    assert await logs.texts(day) == ["un", "deux"]
    assert await logs.found("deux") == 1
    logs.write(line("autre"), day=day)
    assert await logs.texts(day) == ["autre"]
    logs.file(day).unlink()
    assert await logs.texts(day) == []
    assert await logs.found("autre") == 0


async def test_without_any_log_there_is_nothing_to_follow(logs: Logs) -> None:
    logs.folder.rmdir()
    assert await logs.texts() == []
    assert await logs.follower.days_before(DAY) == 0


async def test_old_logs_are_deleted_and_those_since_are_kept(logs: Logs) -> None:
    days = [date(2026, 3, number) for number in (18, 19, 20)]
    for day in days:
        logs.write(line("mot"), day=day)
    await logs.texts()
    assert await logs.follower.days_before(days[2]) == 2
    await logs.follower.delete_before(days[2])
    assert await logs.store.forget(days[2]) == Swept(2, 2)
    assert [path.name for path in logs.folder.iterdir()] == ["v2-2026-03-20.jsonl"]
    assert await logs.texts() == ["mot"]


async def test_looking_again_reads_nothing_where_nothing_changed(logs: Logs) -> None:
    logs.write(line("un"))
    await logs.texts()
    asked: list[str] = []

    class Asked(LogOffsets):
        async def days(self) -> dict[date, Offset]:
            asked.append("days")
            return await super().days()

    follower = LogFollower(logs.data_dir, Asked(logs.database))
    await follower.catch_up(None)
    await follower.catch_up(None)
    assert asked == ["days"]
    logs.add(line("deux"))
    await follower.catch_up(None)
    assert asked == ["days", "days"]


async def test_reading_much_never_holds_up_the_event_loop(logs: Logs) -> None:
    words = "é" * 2000
    logs.write(*(line(f"{words} {number}") for number in range(3000)))
    assert logs.file().stat().st_size > followers.TELL_FROM_BYTES
    assert await _longest_turn_s(lambda: logs.follower.catch_up(None)) < 0.05


async def _longest_turn_s(work: Callable[[], Awaitable[object]]) -> float:
    """Return how long, at most, the loop's thread computes at one go while *work* is done."""
    longest_s, is_done = 0.0, False

    async def watch() -> None:
        nonlocal longest_s
        while not is_done:
            before_s = time.thread_time()
            await asyncio.sleep(0.001)
            longest_s = max(longest_s, time.thread_time() - before_s)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(watch())
        await work()
        is_done = True
    return longest_s
