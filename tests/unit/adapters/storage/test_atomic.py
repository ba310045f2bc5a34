import stat
from pathlib import Path

import pytest

from palabre.adapters.storage.atomic import sync_path, write_atomically
from palabre.kernel.errors import StorageError


@pytest.mark.parametrize("sync", [True, False])
def test_a_file_is_replaced_whole_and_is_its_owners_alone(tmp_path: Path, sync: bool) -> None:
    path = tmp_path / "notes.json"
    path.write_bytes(b"old")
    write_atomically(path, b"new", sync=sync)
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_replaced_stays_and_leaves_no_draft(tmp_path: Path) -> None:
    path = tmp_path / "directory"
    path.mkdir()
    with pytest.raises(StorageError) as refusal:
        write_atomically(path, b"new")
    assert refusal.value.data == {"detail": "Is a directory"}
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_directory_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        write_atomically(tmp_path / "nowhere" / "notes.json", b"new")


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"theirs")
    link.symlink_to(target)
    write_atomically(link, b"ours")
    assert target.read_bytes() == b"theirs"
    assert link.read_bytes() == b"ours"


def test_syncing_what_is_gone_is_no_matter_and_a_link_is_refused(tmp_path: Path) -> None:
    sync_path(tmp_path)
    sync_path(tmp_path / "gone")
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(StorageError):
        sync_path(tmp_path / "link")
