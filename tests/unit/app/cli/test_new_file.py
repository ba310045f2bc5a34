from pathlib import Path

import pytest

from palabre.app.cli.new_file import FileTakenError, FileUnwritableError, new_file


def names(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir()]


def test_a_file_has_its_name_only_once_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    with new_file(path) as file:
        file.write(b"abc")
        assert not path.exists()
    assert path.read_bytes() == b"abc"
    assert path.stat().st_mode & 0o777 == 0o600
    assert names(tmp_path) == ["a.bin"]


def test_nothing_is_left_of_a_file_that_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), new_file(tmp_path / "a.bin"):
        _ = 1 // 0
    assert not names(tmp_path)


def test_a_file_that_is_there_is_left_alone_even_when_it_came_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    with pytest.raises(FileTakenError), new_file(path):
        path.write_text("mine")
    assert path.read_text() == "mine"
    with pytest.raises(FileTakenError), new_file(path):
        pytest.fail("opened")
    assert names(tmp_path) == ["a.bin"]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileUnwritableError), new_file(tmp_path / "no" / "a.bin"):
        pytest.fail("opened")
