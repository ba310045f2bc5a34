import base64
from pathlib import Path

import pytest

from palabre.surfaces.rooms.tui.upload import (
    MAX_FILE_BYTES,
    UploadRefusal,
    kilobytes,
    megabytes,
    path_of,
    read_upload,
)


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("/upload note.txt", "note.txt"),
        ("/UPLOAD  ~/mes notes.txt ", "~/mes notes.txt"),
        ("/upload '/srv/deux mots.txt'", "/srv/deux mots.txt"),
        ('/upload "a b.txt"', "a b.txt"),
        ("/upload a\\ b.txt", "a b.txt"),
        ("/upload", ""),
        ("/uploads note.txt", None),
        ("upload note.txt", None),
        ("/nick upload", None),
    ],
)
def test_the_path_is_what_stands_behind_the_command(line: str, path: str | None) -> None:
    assert path_of(line) == path


def test_a_file_becomes_the_frame_of_the_seed(tmp_path: Path) -> None:
    file = tmp_path / "liste.csv"
    file.write_bytes(b"a;b\n")
    frame = read_upload(str(file))
    assert (frame.filename, frame.mime_type, frame.size) == ("liste.csv", "text/csv", 4)
    assert isinstance(frame.data, str)
    assert base64.b64decode(frame.data) == b"a;b\n"


def test_a_file_of_an_unknown_kind_is_sent_as_bytes(tmp_path: Path) -> None:
    file = tmp_path / "sans-fin"
    file.write_bytes(b"x")
    assert read_upload(str(file)).mime_type == "application/octet-stream"


def test_the_tilde_is_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "note.txt").write_text("bonjour")
    assert read_upload("~/note.txt").size == len("bonjour")


def test_exactly_the_limit_passes_and_one_byte_more_does_not(tmp_path: Path) -> None:
    file = tmp_path / "gros.wav"
    file.write_bytes(bytes(MAX_FILE_BYTES))
    assert read_upload(str(file)).size == MAX_FILE_BYTES
    file.write_bytes(bytes(MAX_FILE_BYTES + 1))
    with pytest.raises(UploadRefusal) as refused:
        read_upload(str(file))
    assert (refused.value.reason, refused.value.size_bytes) == ("too_large", MAX_FILE_BYTES + 1)


def test_what_cannot_be_sent_is_refused_with_the_reason(tmp_path: Path) -> None:
    empty = tmp_path / "vide.txt"
    empty.touch()
    for path, reason in ((empty, "empty"), (tmp_path, "no_file"), (tmp_path / "x", "missing")):
        with pytest.raises(UploadRefusal) as refused:
            read_upload(str(path))
        assert refused.value.reason == reason


def test_a_name_that_no_system_takes_is_unreadable() -> None:
    with pytest.raises(UploadRefusal) as refused:
        read_upload("x" * 5000)
    assert refused.value.reason == "unreadable"
    assert refused.value.detail


def test_too_much_never_reads_as_the_limit() -> None:
    assert (kilobytes(31), kilobytes(1536)) == ("0.0", "1.5")
    assert megabytes(MAX_FILE_BYTES) == "12"
    assert megabytes(MAX_FILE_BYTES + 1) == "12.1"
