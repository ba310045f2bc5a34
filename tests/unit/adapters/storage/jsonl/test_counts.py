import json
import os
from pathlib import Path

import pytest
from tests.support.messages import (
    GENERAL,
    TEN,
    context_of,
    line,
    on_disk,
    opened,
    said,
)

from palabre.core.chat.model import ChannelStats
from palabre.kernel.ids import ChannelName


def harm(damage: str, path: Path, index: Path, known: dict[str, int]) -> None:
    match damage:
        case "missing":
            index.unlink()
        case "empty":
            index.write_text("")
        case "junk":
            index.write_text('{"more":' + "[" * 3000)
        case "too far":
            index.write_text(json.dumps(known | {"offset": known["offset"] + 1}))
        case "other inode":
            path.rename(path.with_suffix(".old"))
            path.write_bytes(path.with_suffix(".old").read_bytes())
        case "other content":
            path.write_bytes(path.read_bytes().replace(b"message 49", b"message 94"))
            with path.open("r+b") as file:
                file.write(line("massage 0"))
        case _:
            os.truncate(path, len(line("message 0")) + 1)


@pytest.mark.parametrize(
    "damage",
    ["missing", "empty", "junk", "too far", "other inode", "other content", "shorter file"],
)
async def test_a_wrong_index_only_costs_a_recount(tmp_path: Path, damage: str) -> None:
    path = context_of(tmp_path, b"".join(line(f"message {n}") + b"\n" for n in range(50)))
    async with opened(tmp_path) as store:
        assert (await store.stats(GENERAL)).messages == 50
        await store.append(said("un"))
    index = path.with_name("_general.index.json")
    known = json.loads(index.read_bytes())
    assert known["messages"] == 51
    known["messages"] = 7777
    index.write_text(json.dumps(known))
    expected = 1 if damage == "shorter file" else 51
    harm(damage, path, index, known)
    async with opened(tmp_path) as store:
        assert (await store.stats(GENERAL)).messages == expected


@pytest.mark.parametrize("kind", ["pipe", "link"])
async def test_only_a_plain_file_is_an_index(tmp_path: Path, kind: str) -> None:
    path = context_of(tmp_path, line("un") + b"\n")
    async with opened(tmp_path) as store:
        await store.stats(GENERAL)
        await store.append(said("deux"))
    index = path.with_name("_general.index.json")
    index.write_text(json.dumps(json.loads(index.read_bytes()) | {"messages": 7777}))
    index.rename(tmp_path / "elsewhere")
    if kind == "pipe":
        os.mkfifo(index)
    else:
        index.symlink_to(tmp_path / "elsewhere")
    async with opened(tmp_path) as store:
        assert (await store.stats(GENERAL)).messages == 2


async def test_a_trusted_index_is_believed(tmp_path: Path) -> None:
    path = context_of(tmp_path, line("un") + b"\n")
    async with opened(tmp_path) as store:
        await store.stats(GENERAL)
        await store.append(said("deux"))
    index = path.with_name("_general.index.json")
    index.write_text(json.dumps(json.loads(index.read_bytes()) | {"messages": 7777}))
    async with opened(tmp_path) as store:
        await store.append(said("trois"))
        assert (await store.stats(GENERAL)).messages == 7778


async def test_the_index_is_saved_now_and_then_and_not_at_each_append(tmp_path: Path) -> None:
    index = tmp_path / "context" / "_general.index.json"
    async with opened(tmp_path) as store:
        for number in range(999):
            await store.append(said(str(number)))
        assert not index.exists()
        await store.append(said("mille"))
        await store.stats(ChannelName("#ailleurs"))  # counts after the save, in the same thread
        assert json.loads(index.read_bytes())["messages"] == 1000


async def test_what_a_summary_stands_for_is_told(tmp_path: Path) -> None:
    context_of(tmp_path, line("un") + b"\n").with_name("_general.summary.json").write_text(
        json.dumps(
            {
                "channel": "#general",
                "summaryText": "On a parlé.",
                "entriesCompacted": 12,
                "lastCompactedAt": "2026-03-20T10:00:00.000Z",
                "totalCompactions": 3,
            }
        )
    )
    async with opened(tmp_path) as store:
        assert await store.stats(GENERAL) == ChannelStats(1, 2, 12, 3, TEN)


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"entriesCompacted":"x","lastCompactedAt":5}', "[" * 99_999]
)
async def test_a_summary_without_sense_counts_nothing(tmp_path: Path, content: str) -> None:
    context_of(tmp_path, b"").with_name("_general.summary.json").write_text(content)
    async with opened(tmp_path) as store:
        assert await store.stats(GENERAL) == ChannelStats()


async def test_totals_are_those_of_the_files_before_and_after(tmp_path: Path) -> None:
    context_of(tmp_path, line("un") + b"\n", "_a")
    context_of(tmp_path, b"", "_empty")
    async with opened(tmp_path) as store:
        await store.append(said("deux", "#b"))
        assert await store.totals() == on_disk(tmp_path)
        await store.append(said("trois", "#c"))
        await store.append(said("quatre", "#a"))
        assert await store.totals() == on_disk(tmp_path)
        assert (await store.totals()).channels == 3
