"""The files of kept media, as another program finds or damages them."""

import json
from pathlib import Path

import pytest
from tests.contract.test_media_stores import an_item

from palabre.adapters.storage.media_files import MIB, FileMediaStore
from palabre.core.media.errors import MediaFullError
from palabre.kernel.errors import StorageError
from palabre.testing.telemetry import RecordingTelemetry


def a_store(folder: Path, telemetry: RecordingTelemetry | None = None) -> FileMediaStore:
    return FileMediaStore(folder, telemetry or RecordingTelemetry(), max_bytes=MIB)


async def test_a_picture_lies_beside_its_metadata_with_the_fields_of_the_contract(
    tmp_path: Path,
) -> None:
    item = an_item()
    await a_store(tmp_path).save(item, b"png")
    folder = tmp_path / "media" / "images"
    assert sorted(each.name for each in folder.iterdir()) == [f"{item.id}.json", f"{item.id}.png"]
    assert json.loads((folder / f"{item.id}.json").read_text()) == {
        "id": item.id,
        "type": "image",
        "prompt": item.prompt,
        "nick": "ana",
        "channel": "#general",
        "createdAt": "2026-03-20T10:00:00.000Z",
        "mime": "image/png",
        "filename": f"{item.id}.png",
    }
    assert (folder / f"{item.id}.png").stat().st_mode & 0o077 == 0
    assert folder.stat().st_mode & 0o077 == 0


async def test_music_lies_in_its_own_folder(tmp_path: Path) -> None:
    item = an_item(kind="audio")
    await a_store(tmp_path).save(item, b"wav")
    assert (tmp_path / "media" / "audio" / item.file_name).read_bytes() == b"wav"


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[" * 5000,
        b"\xff\xfe",
        b'{"id": 5}',
        b'{"filename": "../../../etc/passwd"}',
    ],
)
async def test_metadata_that_make_no_sense_are_left_out_and_counted(
    tmp_path: Path, damage: bytes
) -> None:
    telemetry = RecordingTelemetry()
    store = a_store(tmp_path, telemetry)
    good, bad = an_item(1), an_item(2)
    for item in (good, bad):
        await store.save(item, b"x")
    (tmp_path / "media" / "images" / f"{bad.id}.json").write_bytes(damage)
    assert await store.latest("image") == [good]
    assert telemetry.counts["media_unreadable", ""] == 1
    assert await store.find("image", bad.file_name) is None


@pytest.mark.parametrize("field", ["filename", "id", "type"])
async def test_metadata_lead_to_no_file_but_their_own(tmp_path: Path, field: str) -> None:
    store, item, other = a_store(tmp_path), an_item(1), an_item(2)
    for each in (item, other):
        await store.save(each, b"x")
    path = tmp_path / "media" / "images" / f"{item.id}.json"
    wrong = {"filename": other.file_name, "id": other.id, "type": "audio"}
    path.write_text(json.dumps({**json.loads(path.read_text()), field: wrong[field]}))
    assert await store.latest("image") == [other]


async def test_a_link_in_place_of_a_content_is_no_content(tmp_path: Path) -> None:
    store, item = a_store(tmp_path), an_item()
    await store.save(item, b"x")
    secret = tmp_path / "secret"
    secret.write_text("secret")
    path = tmp_path / "media" / "images" / item.file_name
    path.unlink()
    path.symlink_to(secret)
    assert await store.find("image", item.file_name) is None
    with pytest.raises(StorageError):
        await anext(store.read(item))


async def test_a_content_whose_metadata_are_missing_was_never_kept(tmp_path: Path) -> None:
    store, item = a_store(tmp_path), an_item()
    await store.save(item, b"x")
    (tmp_path / "media" / "images" / f"{item.id}.json").unlink()
    assert await store.latest("image") == []
    assert await store.find("image", item.file_name) is None


async def test_drafts_of_writes_that_were_killed_are_cleared_away_and_nothing_else(
    tmp_path: Path,
) -> None:
    item = an_item()
    await a_store(tmp_path).save(item, b"x")
    folder = tmp_path / "media" / "images"
    draft, foreign = folder / f".{item.file_name}.abcd1234", folder / "notes.txt"
    for each in (draft, foreign):
        each.write_text("half")
    await a_store(tmp_path).save(an_item(2), b"y")
    assert not draft.exists()
    assert foreign.exists()


async def test_who_makes_room_may_keep_again_without_a_restart(tmp_path: Path) -> None:
    store, item = a_store(tmp_path), an_item()
    await store.save(item, bytes(MIB - 1000))
    with pytest.raises(MediaFullError):
        await store.save(an_item(2), bytes(2000))
    (tmp_path / "media" / "images" / item.file_name).unlink()
    await store.save(an_item(2), bytes(2000))


async def test_what_a_store_kept_counts_for_the_next_one(tmp_path: Path) -> None:
    await a_store(tmp_path).save(an_item(), bytes(MIB - 1000))
    with pytest.raises(MediaFullError):
        await a_store(tmp_path).save(an_item(2), bytes(2000))


async def test_a_folder_that_cannot_be_made_is_an_error_of_storage(tmp_path: Path) -> None:
    (tmp_path / "media").write_text("a file")
    with pytest.raises(StorageError):
        await a_store(tmp_path).save(an_item(), b"x")
