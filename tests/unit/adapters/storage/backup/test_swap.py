from pathlib import Path

import pytest

from palabre.adapters.storage.backup.errors import SwapFailedError
from palabre.adapters.storage.backup.swap import exchange


def folder(path: Path, word: str) -> Path:
    path.mkdir()
    (path / "word").write_text(word)
    return path


def test_two_folders_change_their_names(tmp_path: Path) -> None:
    one, other = folder(tmp_path / "a", "one"), folder(tmp_path / "b", "other")
    exchange(one, other)
    assert (one / "word").read_text() == "other"
    assert (other / "word").read_text() == "one"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a", "b"]


def test_a_folder_that_is_not_there_changes_nothing(tmp_path: Path) -> None:
    one = folder(tmp_path / "a", "one")
    with pytest.raises(SwapFailedError):
        exchange(one, tmp_path / "none")
    assert (one / "word").read_text() == "one"
