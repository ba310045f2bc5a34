import asyncio
import os
import shutil
import stat
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.messages import (
    GENERAL,
    TEN,
    context_of,
    line,
    lines_of,
    on_disk,
    opened,
    said,
    texts,
)

from palabre.adapters.storage.data_dir import DataDirBusyError
from palabre.adapters.storage.errors import StorageFaultError
from palabre.adapters.storage.jsonl.append_log import OPEN_FILES
from palabre.adapters.storage.jsonl.messages import JsonlMessageStore
from palabre.core.chat.model import ChannelStats
from palabre.kernel.errors import StorageError
from palabre.kernel.ids import ChannelName
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.telemetry import RecordingTelemetry


async def test_files_are_named_as_the_contract_says(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await store.append(said("un"))
        await store.append(said("deux", "#a-b_c"))
    assert lines_of(tmp_path / "chat-logs" / "v2-2026-03-20.jsonl") == ["un", "deux"]
    assert lines_of(tmp_path / "context" / "_general.jsonl") == ["un"]
    assert lines_of(tmp_path / "context" / "_a-b_c.jsonl") == ["deux"]


async def test_the_day_of_the_log_is_that_of_utc(tmp_path: Path) -> None:
    midnight = datetime(2026, 3, 21, tzinfo=UTC)
    async with opened(tmp_path) as store, asyncio.TaskGroup() as group:
        for text, seconds in (("hier", -1), ("demain", 0), ("encore hier", -1)):
            group.create_task(store.append(said(text, at=midnight + timedelta(seconds=seconds))))
    logs = tmp_path / "chat-logs"
    assert lines_of(logs / "v2-2026-03-20.jsonl") == ["hier", "encore hier"]
    assert lines_of(logs / "v2-2026-03-21.jsonl") == ["demain"]
    assert lines_of(tmp_path / "context" / "_general.jsonl") == ["hier", "demain", "encore hier"]


def below(directory: Path, pattern: str) -> list[Path]:
    return list(directory.rglob(pattern))


async def test_nobody_but_the_owner_can_read_what_was_said(tmp_path: Path) -> None:
    async with opened(tmp_path / "data") as store:
        await store.append(said("secret"))
        await store.stats(GENERAL)
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in below(tmp_path, "*")}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}
    assert len(modes) == 7


async def test_reading_makes_no_files(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await store.latest(GENERAL, 20)
        await store.stats(GENERAL)
    assert list((tmp_path / "context").iterdir()) == []


async def test_what_was_said_is_there_after_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await store.append(said("un"))
    async with opened(tmp_path) as store:
        await store.append(said("deux"))
        assert texts(await store.latest(GENERAL, 20)) == ["un", "deux"]
        assert await store.stats(GENERAL) == ChannelStats(messages=2, chars=6)


async def test_two_stores_cannot_have_one_directory(tmp_path: Path) -> None:
    async with opened(tmp_path):
        with pytest.raises(DataDirBusyError):
            await JsonlMessageStore.open(tmp_path, RecordingTelemetry())
    async with opened(tmp_path):
        pass


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_many_channels_do_not_keep_many_files_open(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        before = open_descriptors()
        for number in range(OPEN_FILES + 50):
            await store.append(said("oui", f"#c{number}"))
        assert open_descriptors() - before <= OPEN_FILES
        await store.append(said("non", "#c0"))
        assert texts(await store.latest(ChannelName("#c0"), 9)) == ["oui", "non"]
        assert (await store.totals()).channels == OPEN_FILES + 50


@pytest.mark.parametrize("way", ["deleted", "renamed", "emptied"])
async def test_files_taken_away_while_we_run_are_made_anew(tmp_path: Path, way: str) -> None:
    async with opened(tmp_path) as store:
        await store.append(said("avant"))
        await store.stats(GENERAL)
        for path in below(tmp_path, "*.jsonl"):
            match way:
                case "deleted":
                    path.unlink()
                case "renamed":
                    path.rename(path.with_suffix(".old"))
                case _:
                    os.truncate(path, 0)
        await store.append(said("après"))
        assert lines_of(tmp_path / "context" / "_general.jsonl") == ["après"]
        assert lines_of(tmp_path / "chat-logs" / "v2-2026-03-20.jsonl") == ["après"]
        assert texts(await store.latest(GENERAL, 20)) == ["après"]
        assert (await store.stats(GENERAL)).messages == 1


async def test_directories_taken_away_while_we_run_are_made_anew(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    async with opened(data_dir) as store:
        await store.append(said("avant"))
        shutil.rmtree(data_dir)
        await store.append(said("après"))
        assert texts(await store.latest(GENERAL, 20)) == ["après"]
        assert (await store.totals()).channels == 1
    assert lines_of(data_dir / "chat-logs" / "v2-2026-03-20.jsonl") == ["après"]
    for name in (".", "context", "chat-logs"):
        assert stat.S_IMODE((data_dir / name).stat().st_mode) == 0o700


async def test_lines_that_somebody_added_are_seen_with_the_next_append(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await store.append(said("un"))
        await store.stats(GENERAL)
        with (tmp_path / "context" / "_general.jsonl").open("ab") as file:
            file.write(line("d'un autre") + b"\n")
        await store.append(said("deux"))
        assert texts(await store.latest(GENERAL, 20)) == ["un", "d'un autre", "deux"]
        assert (await store.stats(GENERAL)).messages == 3


@pytest.mark.parametrize("kind", ["link", "pipe", "directory"])
@pytest.mark.parametrize("name", ["context/_general.jsonl", "chat-logs/v2-2026-03-20.jsonl"])
async def test_only_a_plain_file_is_written_to(tmp_path: Path, name: str, kind: str) -> None:
    path, target = tmp_path / name, tmp_path / "target"
    path.parent.mkdir()
    target.write_text("")
    match kind:
        case "link":
            path.symlink_to(target)
        case "pipe":
            os.mkfifo(path)
        case _:
            path.mkdir()
    async with opened(tmp_path) as store:
        await store.append(said("ailleurs", "#b", TEN + timedelta(days=1)))
        with pytest.raises(StorageError) as refusal:
            await store.append(said("perdu"))
        assert refusal.value.data.get("detail") or refusal.value.code == "not_plain_file"
        path.rmdir() if kind == "directory" else path.unlink()
        await store.append(said("gardé"))
        assert texts(await store.latest(GENERAL, 20)) == ["gardé"]
    assert target.read_text() == ""
    assert lines_of(tmp_path / "context" / "_general.jsonl") == ["gardé"]
    assert lines_of(tmp_path / "chat-logs" / "v2-2026-03-20.jsonl") == ["gardé"]


async def test_a_context_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    context_of(tmp_path, b"").unlink()
    (tmp_path / "context" / "_general.jsonl").symlink_to(tmp_path / "secret")
    (tmp_path / "secret").write_bytes(line("secret"))
    async with opened(tmp_path) as store:
        for read in (store.latest(GENERAL, 20), store.within(GENERAL, 9), store.stats(GENERAL)):
            with pytest.raises(StorageError):
                await read


async def test_a_moment_that_no_calendar_has_is_refused_alone_and_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    late = datetime.max.replace(tzinfo=timezone(timedelta(hours=-1)))
    async with opened(tmp_path) as store, asyncio.TaskGroup() as group:
        good = [group.create_task(store.append(said(text))) for text in ("un", "deux")]
        with pytest.raises(StorageFaultError) as refusal:
            await store.append(said("jamais", at=late))
        assert refusal.value.data == {}
        assert [record.exc_info is not None for record in caplog.records] == [True]
        await asyncio.gather(*good)
        assert texts(await store.latest(GENERAL, 20)) == ["un", "deux"]


async def test_an_asker_who_gives_up_does_not_stop_the_writing(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        for _ in range(20):
            asking = asyncio.get_running_loop().create_task(store.totals())
            await asyncio.sleep(0)
            asking.cancel()
            await store.append(said("encore"))
        assert (await store.totals()).channels == 1


CHANNELS = ("#a", "#b", "#c")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["append", "append", "append", "latest", "within", "stats", "restart"]),
        st.sampled_from(CHANNELS),
        st.integers(0, 400),
    ),
    max_size=60,
)


@given(STEPS)
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
async def test_the_files_and_the_twin_in_memory_never_differ(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, int]]
) -> None:
    data = tmp_path_factory.mktemp("data")
    store = await JsonlMessageStore.open(data, RecordingTelemetry())
    twin = MemoryMessageStore()
    for step, name, size in steps:
        channel = ChannelName(name)
        match step:
            case "append":
                await store.append(said("m" * size * 5, name))
                await twin.append(said("m" * size * 5, name))
            case "latest":
                assert await store.latest(channel, size) == await twin.latest(channel, size)
            case "within":
                assert await store.within(channel, size * 9) == await twin.within(channel, size * 9)
            case "stats":
                assert await store.stats(channel) == await twin.stats(channel)
            case _:
                await store.aclose()
                store = await JsonlMessageStore.open(data, RecordingTelemetry())
    assert await store.totals() == on_disk(data)
    await store.aclose()
