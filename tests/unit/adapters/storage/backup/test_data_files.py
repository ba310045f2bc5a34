import os
import threading
import time
from pathlib import Path

import pytest

from palabre.adapters.storage.backup.data_files import (
    DataFile,
    files_below,
    is_safe,
    opened,
    pieces,
)
from palabre.adapters.storage.errors import NotPlainFileError


def names(data_dir: Path, **options: bool) -> list[str]:
    return [each.name for each in files_below(data_dir, **options)[0]]


def put(data_dir: Path, *files: str) -> None:
    for name in files:
        (data_dir / name).parent.mkdir(parents=True, exist_ok=True)
        (data_dir / name).write_text(name)


def read(path: Path) -> bytes:
    with opened(DataFile(path, path.name, 0)) as descriptor:
        return b"" if descriptor is None else b"".join(pieces(descriptor, path.name))


def test_what_lasts_is_kept_and_what_passes_is_not(tmp_path: Path) -> None:
    kept = [
        "chat-logs/v2-2026-03-20.jsonl",
        "context/_a.jsonl",
        "context/_a.summary.json",
        "media/images/1-aaaaaaaa.png",
        "persona-memory/Batty.json",
        "personas/batty.toml",
        "personas/logs/x.toml",
        "v2-local/persona-memory/batty.json",
        "v2-local/persona-memory/history/batty/000001.json",
        "voice-samples/batty.wav",
        "context/archive/_a.20260320T100000000-1.jsonl.gz",
    ]
    passing = [
        *("palabre.db", "palabre.db-wal", "palabre.db-shm", "palabre.lock", "logs/errors.log"),
        *("context/_a.index.json", "context/_a.jsonl.draft", "context/_a.summary.next.json"),
        *("context/archive/x.jsonl.gz.part", "v2-local/persona-memory/.lock"),
        *("v2-local/persona-memory/.batty.json.abcdefgh", ".env"),
    ]
    put(tmp_path, *kept, *passing)
    assert names(tmp_path) == kept
    assert "media/images/1-aaaaaaaa.png" not in names(tmp_path, media=False)


def test_links_pipes_and_odd_names_are_left_out_by_name(tmp_path: Path) -> None:
    put(tmp_path, "topics.toml")
    (tmp_path / "link").symlink_to("/etc/passwd")
    (tmp_path / "folder").symlink_to("/etc")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a\nb").write_text("x")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/c\xff")).write_text("x")
    found, left_out = files_below(tmp_path)
    assert [each.name for each in found] == ["topics.toml"]
    assert left_out == ["a\nb", "c\\xff", "folder", "link", "pipe"]


def test_folders_that_can_be_made_again_are_left_out(tmp_path: Path) -> None:
    put(tmp_path, "topics.toml", "cache/weights.bin")
    found, _ = files_below(tmp_path, {tmp_path / "cache"})
    assert [each.name for each in found] == ["topics.toml"]


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        (b"", b""),
        (b'{"a":1}\n{"b":2}\n', b'{"a":1}\n{"b":2}\n'),
        (b'{"a":1}\n{"b":', b'{"a":1}\n'),
        (b'{"a":', b""),
        (b'{"a":1}\n{"b":2}', b'{"a":1}\n{"b":2}'),
        (b'{"a":"' + b"x" * 700_000 + b'"}\n{', b'{"a":"' + b"x" * 700_000 + b'"}\n'),
        (b"1\n" + b"x" * 700_000, b"1\n"),
        (b"1\n" + b" " * 700_000 + b"2", b"1\n" + b" " * 700_000 + b"2"),
    ],
)
def test_of_a_file_of_lines_only_whole_ones_are_read(
    tmp_path: Path, content: bytes, wanted: bytes
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    assert read(path) == wanted


def test_a_line_without_an_end_is_searched_for_one_once(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with path.open("wb") as file:
        file.write(b"1\n")
        file.truncate(2_000_000_000)  # a hole takes no room
    started_s = time.process_time()
    assert read(path) == b"1\n"
    assert time.process_time() - started_s < 10


def test_what_is_appended_while_it_is_read_is_not_in_it(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"1\n" * 400_000)
    with opened(DataFile(path, path.name, 0)) as descriptor, path.open("ab") as more:
        assert descriptor is not None
        found = pieces(descriptor, path.name)
        first = next(found)
        more.write(b"2\n" * 10)
        more.flush()
        assert first + b"".join(found) == b"1\n" * 400_000


def test_a_file_that_is_gone_is_passed_over_and_a_link_is_refused(tmp_path: Path) -> None:
    assert read(tmp_path / "gone.toml") == b""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotPlainFileError):
        read(tmp_path / "pipe")


def test_a_context_is_read_once_its_new_summary_is_in_place(tmp_path: Path) -> None:
    folder = tmp_path / "context"
    put(tmp_path, "context/_a.summary.next.json")
    (folder / "_a.jsonl").write_bytes(b"1\n2\n")

    def finish() -> None:
        time.sleep(0.1)
        (folder / "draft").write_bytes(b"2\n")
        (folder / "draft").replace(folder / "_a.jsonl")
        (folder / "_a.summary.next.json").unlink()

    thread = threading.Thread(target=finish)
    thread.start()
    assert read(folder / "_a.jsonl") == b"2\n"
    thread.join()


@pytest.mark.parametrize(
    "name", ["", "/a", "a/../b", "a//b", "a\x00", "a\x1b[2J", "./a", "é" * 600]
)
def test_names_that_lead_elsewhere_are_not_safe(name: str) -> None:
    assert not is_safe(name)
    assert is_safe("é/ü.toml")
