import asyncio
import os
from pathlib import Path
from threading import Event

from tests.support.messages import (
    GENERAL,
    CountingReads,
    context_of,
    line,
    opened,
    said,
    texts,
)

from palabre.adapters.storage.jsonl.context_file import PRead
from palabre.kernel.ids import ChannelName


def long_history(data: Path, messages: int = 100_000) -> Path:
    return context_of(data, b"".join(line(f"message {n}") + b"\n" for n in range(messages)))


async def test_history_costs_what_it_returns_and_is_read_once_for_all(tmp_path: Path) -> None:
    long_history(tmp_path)
    reads = CountingReads()
    async with opened(tmp_path, reads) as store:
        async with asyncio.TaskGroup() as group:
            newcomers = [group.create_task(store.latest(GENERAL, 20)) for _ in range(1000)]
        assert texts(newcomers[999].result())[-1] == "message 99999"
        assert {len(newcomer.result()) for newcomer in newcomers} == {20}
        assert reads.calls == reads.size_bytes // (16 * 1024) == 2
        await store.append(said("encore"))
        assert texts(await store.latest(GENERAL, 2)) == ["message 99999", "encore"]
        assert len(await store.within(GENERAL, 2000)) > 100
        assert reads.calls == 2


async def test_an_export_reads_little_more_than_its_budget(tmp_path: Path) -> None:
    long_history(tmp_path)
    reads = CountingReads()
    async with opened(tmp_path, reads) as store:
        found = await store.within(GENERAL, 100_000)
        assert sum(map(len, texts(found))) in range(99_980, 100_001)
        size_bytes = sum(len(line(text)) + 1 for text in texts(found))
        assert size_bytes < reads.size_bytes < size_bytes + 64 * 1024


async def test_counting_reads_only_what_came_since_the_last_count(tmp_path: Path) -> None:
    path = long_history(tmp_path, 20_000)
    reads = CountingReads()
    async with opened(tmp_path, reads) as store:
        assert (await store.stats(GENERAL)).messages == 20_000
        assert reads.size_bytes >= path.stat().st_size
        await store.append(said("un"))
        calls = reads.calls
        assert (await store.stats(GENERAL)).messages == 20_001
        assert reads.calls == calls
    with path.open("ab") as file:
        file.write(line("d'un autre") + b"\n")
    again = CountingReads()
    async with opened(tmp_path, again) as store:
        assert (await store.stats(GENERAL)).messages == 20_002
        assert again.size_bytes < 400 * 1024


def held_until(is_ready: Event) -> PRead:
    def read(descriptor: int, count: int, offset: int) -> bytes:
        is_ready.wait(20)
        return os.pread(descriptor, count, offset)

    return read


async def test_a_slow_disk_stops_neither_the_event_loop_nor_appends(tmp_path: Path) -> None:
    context_of(tmp_path, line("vieux") + b"\n")
    is_ready = Event()

    async with opened(tmp_path, held_until(is_ready)) as store, asyncio.TaskGroup() as group:
        reading = group.create_task(store.latest(GENERAL, 20))
        counting = group.create_task(store.stats(GENERAL))
        # More than memory keeps; the short ones would fit in again, and leave a gap behind them.
        new = ["un", "deux", "trois", *(f"{number:01990}" for number in range(40))]
        for text in new:
            await store.append(said(text))
        assert not reading.done()
        assert not counting.done()
        is_ready.set()
        assert texts(await reading) == new[-20:]
        assert (await counting).messages == 44
        assert texts(await store.latest(GENERAL, 999)) == ["vieux", *new]


async def test_what_is_said_while_a_count_waits_its_turn_counts_once(tmp_path: Path) -> None:
    context_of(tmp_path, line("vieux") + b"\n", "_a")
    context_of(tmp_path, line("vieux") + b"\n", "_b")
    is_ready = Event()

    async with opened(tmp_path, held_until(is_ready)) as store, asyncio.TaskGroup() as group:
        first = group.create_task(store.stats(ChannelName("#a")))
        second = group.create_task(store.stats(ChannelName("#b")))
        for number in range(100):
            await store.append(said(str(number), "#b"))
        is_ready.set()
        assert (await first).messages == 1
        assert (await second).messages == 101
        await store.append(said("encore", "#b"))
        assert (await store.stats(ChannelName("#b"))).messages == 102


async def test_a_reader_that_gives_up_does_not_take_the_others_along(tmp_path: Path) -> None:
    context_of(tmp_path, line("vieux") + b"\n")
    is_ready = Event()

    async with opened(tmp_path, held_until(is_ready)) as store, asyncio.TaskGroup() as group:
        impatient = [group.create_task(store.latest(GENERAL, 20)) for _ in range(3)]
        counters = [group.create_task(store.stats(GENERAL)) for _ in range(3)]
        patient = group.create_task(store.latest(GENERAL, 20))
        await asyncio.sleep(0)
        await asyncio.sleep(0.01)
        for task in (*impatient, *counters[:2]):
            task.cancel()
        is_ready.set()
        assert texts(await patient) == ["vieux"]
        assert (await counters[2]).messages == 1
