"""Processes that read files: how many there are, and how they end."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from tests.support.hostile_files import endless_drawing
from tests.support.workers import watched, workers

from palabre.adapters.media.job import LENGTH, Failed, Limits, answer_of, to_frame
from palabre.adapters.media.worker import Worker
from palabre.adapters.media.worker_reader import (
    MIB,
    ReadingLimits,
    WorkerFileReader,
)
from palabre.core.media.errors import FilesBusyError, FileUnreadableError
from palabre.testing.documents import word_file
from palabre.testing.files import shared_file

HONEST = shared_file("a.txt", b"hello")
ENDLESS = shared_file("a.pdf", endless_drawing())


@pytest.fixture(autouse=True)
async def nothing_is_left() -> AsyncIterator[None]:
    yield
    assert workers() == []


def seen(process: int | str, name: str) -> bytes:
    """Return a file of /proc about *process*; nothing once it is gone."""
    try:
        return Path(f"/proc/{process}/{name}").read_bytes()
    except OSError:
        return b""


def network(process: int | str) -> str:
    return str(Path(f"/proc/{process}/ns/net").readlink())


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110 - another process tells nobody
            await asyncio.sleep(0.01)


def computing() -> list[int]:
    """Return the workers that computed for a while, as only reading makes them."""
    ticks = {each: seen(each, "stat").rpartition(b")")[2].split()[11:12] for each in workers()}
    return [each for each, used in ticks.items() if used and int(used[0]) > 30]


async def until_one_computes() -> int:
    await until(lambda: bool(computing()))
    return computing()[0]


async def test_one_process_waits_for_the_next_file_and_no_more() -> None:
    reader = WorkerFileReader()
    assert workers() == []
    await reader.read(HONEST)
    await until(lambda: bool(workers()))
    [spare] = workers()
    await reader.read(HONEST)
    await until(lambda: bool(workers()))
    [another] = workers()
    assert spare != another
    await reader.aclose()


async def test_a_process_that_died_waiting_is_replaced() -> None:
    reader = WorkerFileReader()
    await reader.read(HONEST)
    await until(lambda: bool(workers()))
    os.kill(workers()[0], signal.SIGKILL)
    assert (await reader.read(HONEST)).text == "hello"
    await reader.aclose()


async def test_cancelling_ends_the_process_at_once() -> None:
    reader = WorkerFileReader()
    task = asyncio.ensure_future(reader.read(ENDLESS))
    await until_one_computes()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert workers() == []


@pytest.mark.parametrize("limits", [Limits(240 * MIB, 1, 60), Limits(240 * MIB, 60, 1)])
async def test_a_file_that_takes_too_long_is_told_so(limits: Limits) -> None:
    reader = WorkerFileReader(ReadingLimits(file=limits))
    with pytest.raises(FileUnreadableError) as caught:
        await reader.read(ENDLESS)
    assert (caught.value.reason, caught.value.data) == ("file_reason.time", {"limit_s": 1})


async def test_memory_beyond_the_limit_is_told_so() -> None:
    reader = WorkerFileReader(ReadingLimits(file=Limits(20 * MIB, 5, 60)))
    with pytest.raises(FileUnreadableError) as caught:
        await reader.read(shared_file("a.docx", word_file("x" * 100_000)))
    assert caught.value.reason in {"file_reason.memory", "file_reason.hostile"}
    assert caught.value.data == {"limit_mb": 20}


async def test_a_process_that_is_killed_costs_its_own_file_alone() -> None:
    reader = WorkerFileReader()
    task = asyncio.ensure_future(reader.read(ENDLESS))
    victim = await until_one_computes()
    honest = asyncio.ensure_future(reader.read(HONEST))
    os.kill(victim, signal.SIGSEGV)
    with pytest.raises(FileUnreadableError) as caught:
        await task
    assert caught.value.reason == "file_reason.hostile"
    assert (await honest).text == "hello"
    await reader.aclose()


async def test_more_files_than_may_wait_are_refused() -> None:
    reader = WorkerFileReader(ReadingLimits(processes=1, waiting=2))
    with watched() as counted:
        found = await asyncio.gather(
            *(reader.read(HONEST) for _ in range(6)), return_exceptions=True
        )
    refused = [each for each in found if isinstance(each, FilesBusyError)]
    assert [each.data for each in refused] == [{"waiting": 2}] * 3
    assert counted.at_once == 1
    await reader.aclose()


async def test_a_waiting_file_that_is_cancelled_leaves_its_place() -> None:
    reader = WorkerFileReader(ReadingLimits(processes=1, waiting=1))
    first, second = (asyncio.ensure_future(reader.read(HONEST)) for _ in range(2))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.gather(first, second, return_exceptions=True)
    assert (await reader.read(HONEST)).text == "hello"
    await reader.aclose()


async def test_a_worker_has_nothing_of_ours_and_can_do_little() -> None:
    worker = await Worker.start()
    await until(lambda: bool(workers()))
    [process] = workers()
    await until(lambda: b"Max open files            64 " in seen(process, "limits"))
    limits = seen(process, "limits")
    assert b"Max file size             0 " in limits
    assert b"Max core file size        0 " in limits
    names = {pair.partition(b"=")[0] for pair in seen(process, "environ").split(b"\0")}
    threads = {b"OPENBLAS_NUM_THREADS", b"OMP_NUM_THREADS", b"MALLOC_ARENA_MAX"}
    assert names - {b"", b"LC_CTYPE"} == {b"PYTHONPATH", *threads}
    assert os.getsid(process) == process
    if os.getuid() == 0:
        await until(lambda: network(process) != network("self"))
    await worker.stop()


async def test_a_worker_dies_with_its_parent() -> None:
    program = (
        "import asyncio\n"
        "from palabre.adapters.media.worker import Worker\n"
        "async def main():\n"
        "    worker = await Worker.start()\n"
        "    print(worker._process.pid, flush=True)\n"
        "    await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    orphan = int(await parent.stdout.readline())
    assert seen(orphan, "cmdline")
    parent.kill()
    await parent.wait()
    await until(lambda: not seen(orphan, "cmdline"))


def test_a_frame_is_its_length_and_what_it_says() -> None:
    frame = to_frame(Failed("file_reason.time", {"limit_s": 1}))
    assert LENGTH.unpack(frame[:4])[0] == len(frame) - 4
    assert answer_of(frame[4:]) == Failed("file_reason.time", {"limit_s": 1})
