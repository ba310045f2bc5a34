"""Archives of strangers are refused whole, before anything is unpacked."""

import hashlib
import stat
import warnings
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import pytest

from palabre.adapters.storage.backup.archive import opened_archive
from palabre.adapters.storage.backup.errors import ArchiveRefusedError
from palabre.adapters.storage.backup.writing import Source, write_backup
from palabre.adapters.storage.sql.address import sqlite_address
from palabre.adapters.storage.sql.migrating import HEAD
from palabre.testing.clock import FrozenClock

FILE = "files/topics.toml"


@pytest.fixture
def good(tmp_path: Path) -> dict[str, bytes]:
    """The members of a good backup."""
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    (data_dir / "topics.toml").write_text("topics")
    source = Source(sqlite_address(data_dir), data_dir)
    with (tmp_path / "good.zip").open("wb") as out:
        now = FrozenClock().now()
        write_backup(source, out, program="1", at=now, media=True, progress=lambda *_: None)
    with zipfile.ZipFile(tmp_path / "good.zip") as packed:
        return {each: packed.read(each) for each in packed.namelist()}


def packed(path: Path, members: dict[str, bytes], *, hashed: bool = True, **manifest: Any) -> Path:
    """Pack *members*; the manifest speaks of all of them, and has the fields *manifest*."""
    told = msgspec.json.decode(members["manifest.json"]) | manifest
    if hashed:
        told["members"] = [
            {"name": n, "sizeBytes": len(c), "sha256": hashlib.sha256(c).hexdigest()}
            for n, c in members.items()
            if n != "manifest.json"
        ]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (members | {"manifest.json": msgspec.json.encode(told)}).items():
            archive.writestr(name, content)
    return path


def problem(path: Path) -> str:
    with pytest.raises(ArchiveRefusedError) as refused, opened_archive(path) as archive:
        archive.verify(lambda _done: None)
    return refused.value.problem


def test_a_good_one_is_read(good: dict[str, bytes], tmp_path: Path) -> None:
    with opened_archive(packed(tmp_path / "a.zip", good)) as archive:
        archive.verify(lambda _done: None)
        assert [each.name for each in archive.manifest.files] == [FILE]


def test_what_is_no_archive_is_told(good: dict[str, bytes], tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", good)
    content = path.read_bytes()
    path.write_bytes(content[:-30])
    assert problem(path) == "no_zip"
    assert problem(tmp_path / "none.zip") == "unreadable"
    assert problem(tmp_path) == "unreadable"
    (tmp_path / "text.zip").write_text("no zip")
    assert problem(tmp_path / "text.zip") == "no_zip"


@pytest.mark.parametrize(
    ("manifest", "wanted"),
    [
        ({"format": 2}, "newer_format"),
        ({"schemaRevision": "9999"}, "newer_schema"),
        ({"schemaRevision": "head; --"}, "no_manifest"),
        ({"format": "one"}, "no_manifest"),
        ({"tables": [{"name": "accounts", "columns": ["a"], "rows": 1}]}, "no_manifest"),
        ({"tables": [{"name": 'a" --', "columns": [], "rows": 1}]}, "no_manifest"),
        ({"program": "1" * 101}, "no_manifest"),
        ({"database": "other"}, "no_manifest"),
        ({"sequences": {"embedders": 2**70}}, "no_manifest"),
        ({"sequences": {"embedders": -1}}, "no_manifest"),
    ],
)
def test_a_list_that_makes_no_sense_or_is_newer_is_refused(
    good: dict[str, bytes], tmp_path: Path, manifest: dict[str, Any], wanted: str
) -> None:
    assert problem(packed(tmp_path / "a.zip", good, **manifest)) == wanted


def test_a_table_that_is_listed_twice_or_has_less_than_no_rows_is_refused(
    good: dict[str, bytes], tmp_path: Path
) -> None:
    good["tables/accounts.jsonl"] = b""
    table = {"name": "accounts", "columns": ["username"], "rows": 0}
    fitting = {"schemaRevision": HEAD, "tables": [table]}
    with opened_archive(packed(tmp_path / "a.zip", good, **fitting)) as archive:
        assert archive.manifest.rows == 0
    for tables in ([table, table], [table | {"rows": -1}]):
        path = packed(tmp_path / "b.zip", good, **fitting | {"tables": tables})
        assert problem(path) == "no_manifest"


def test_an_archive_without_a_list_is_refused(good: dict[str, bytes], tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(FILE, b"x")
    assert problem(tmp_path / "a.zip") == "no_manifest"


@pytest.mark.parametrize(
    "name",
    [
        *("files/../evil", "files//etc/passwd", "/etc/passwd", "files/a/../../b", "files/./a"),
        *("files/", "files/palabre.db", "files/palabre.db-wal", "files/palabre.lock"),
        *("files/.ssh/key", "files/a/.hidden", "files/logs/x.log", "evil", "tables/../x.jsonl"),
        *("files/a\nb", "files/\u202egnp.exe", "files/" + "x" * 2000, "files\\a"),
    ],
)
def test_names_that_are_none_of_ours_are_refused(
    good: dict[str, bytes], tmp_path: Path, name: str
) -> None:
    assert problem(packed(tmp_path / "a.zip", good | {name: b"x"})) == "bad_name"


def test_a_name_that_goes_on_after_a_nul_is_refused(good: dict[str, bytes], tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", good | {"files/aXb": b"x"})
    path.write_bytes(path.read_bytes().replace(b"files/aXb", b"files/a\0b"))
    assert problem(path) in {"bad_name", "damaged"}


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO])
def test_links_and_devices_are_refused(good: dict[str, bytes], tmp_path: Path, kind: int) -> None:
    path = packed(tmp_path / "a.zip", good)
    with zipfile.ZipFile(path, "a") as archive:
        info = zipfile.ZipInfo("files/link")
        info.external_attr = (kind | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    assert problem(path) == "no_file"


def test_the_same_name_twice_is_refused(good: dict[str, bytes], tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", good)
    with warnings.catch_warnings(), zipfile.ZipFile(path, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr(FILE, b"other")
    assert problem(path) == "twice"


def test_a_file_that_is_a_folder_too_is_refused(good: dict[str, bytes], tmp_path: Path) -> None:
    members = good | {"files/a": b"x", "files/a/b": b"y"}
    assert problem(packed(tmp_path / "a.zip", members)) == "twice"


def test_a_member_that_nobody_lists_is_refused(good: dict[str, bytes], tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", good)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("files/more.toml", b"x")
    assert problem(path) == "stranger"


def test_a_member_that_was_changed_or_is_gone_is_refused(
    good: dict[str, bytes], tmp_path: Path
) -> None:
    path = packed(tmp_path / "a.zip", good | {FILE: b"tOpics"}, hashed=False)
    assert problem(path) == "damaged"
    manifest = {"manifest.json": good["manifest.json"]}
    assert problem(packed(tmp_path / "b.zip", manifest, hashed=False)) == "damaged"


def test_a_bomb_is_refused_by_what_it_really_holds(good: dict[str, bytes], tmp_path: Path) -> None:
    """It says that it is small, and is not: neither is believed."""
    bomb = bytes(50_000_000)
    path = packed(tmp_path / "a.zip", good | {"files/bomb": bomb})
    size = len(bomb).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(size, (100).to_bytes(4, "little")))
    assert problem(path) == "damaged"


@pytest.mark.parametrize("place", range(0, 100, 7))
def test_a_flipped_byte_anywhere_is_found_or_harmless(
    good: dict[str, bytes], tmp_path: Path, place: int
) -> None:
    path = packed(tmp_path / "a.zip", good)
    content = bytearray(path.read_bytes())
    content[len(content) * place // 100] ^= 0xFF
    path.write_bytes(content)
    try:
        with opened_archive(path) as archive:
            archive.verify(lambda _done: None)
            (member,) = archive.manifest.files
            assert b"".join(archive.pieces(member)) == b"topics"
    except ArchiveRefusedError:
        pass


def test_lines_are_cut_where_they_end(good: dict[str, bytes], tmp_path: Path) -> None:
    long = b"x" * 700_000
    content = b"a\n\n" + long + b"\nb\n"
    with opened_archive(packed(tmp_path / "a.zip", good | {FILE: content})) as archive:
        (member,) = archive.manifest.files
        assert list(archive.lines(member)) == [b"a", b"", long, b"b"]
