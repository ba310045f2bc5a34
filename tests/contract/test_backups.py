"""A backup holds all of a database and its files, and goes back into either kind."""

import hashlib
import zipfile
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import text
from tests.support.databases import KINDS, address_of, with_database
from tests.support.revisions import make_database
from tests.support.table_rows import COUNT, fill_all

from palabre.adapters.storage.backup.archive import opened_archive
from palabre.adapters.storage.backup.errors import (
    ArchiveRefusedError,
    DatabaseInUseError,
    NotEmptyError,
)
from palabre.adapters.storage.backup.files_out import MOVED
from palabre.adapters.storage.backup.filling import FUNCTIONS
from palabre.adapters.storage.backup.manifest import Manifest
from palabre.adapters.storage.backup.reading_tables import (
    FREE_SEQUENCES,
    OMITTED,
    SEEDED,
    snapshot_of,
)
from palabre.adapters.storage.backup.restoring import Restored, restore
from palabre.adapters.storage.backup.search_words import REBUILT
from palabre.adapters.storage.backup.target import Target
from palabre.adapters.storage.backup.writing import Source, write_backup
from palabre.adapters.storage.day_logs.follower import LogFollower
from palabre.adapters.storage.sql.address import DatabaseAddress, sqlite_address
from palabre.adapters.storage.sql.database import Database, thread_connection
from palabre.adapters.storage.sql.history.log_offsets import LogOffsets
from palabre.adapters.storage.sql.history.store import SqlHistoryStore
from palabre.adapters.storage.sql.history.writing import add_lines
from palabre.adapters.storage.sql.knowledge.store import SqlKnowledgeStore
from palabre.adapters.storage.sql.ledger import SqlLedger
from palabre.adapters.storage.sql.migrating import HEAD, current_revision
from palabre.adapters.storage.sql.schema import METADATA
from palabre.core.audit.inspection import inspect
from palabre.core.audit.model import THE_MACHINE
from palabre.core.history.model import NewLine, Wanted
from palabre.kernel.errors import StorageError
from palabre.testing.clock import FrozenClock

NOW = FrozenClock().now()


def ignore(_done: int, _total: int) -> None:
    pass


def backup(source: Source, path: Path, *, media: bool = True) -> Manifest:
    with path.open("wb") as out:
        return write_backup(source, out, program="0.1", at=NOW, media=media, progress=ignore)


def put_back(path: Path, target: Target, *, may_replace: bool = False) -> Restored:
    with opened_archive(path) as archive:
        archive.verify(lambda _done: None)
        return restore(archive, target, at=NOW, may_replace=may_replace, progress=ignore)


def rows_of(address: DatabaseAddress) -> dict[str, bytes]:
    """All rows but those of the book of changes, in which the restore is written down."""
    with snapshot_of(address) as snapshot:
        found = {each.name: b"".join(snapshot.lines(each)) for each in snapshot.tables}
    return {name: lines for name, lines in found.items() if name != "audit"}


def filled(address: DatabaseAddress) -> None:
    with thread_connection(address, writes=True) as connection:
        fill_all(connection)


def assert_same(source: Source, target: Target, but: Collection[str] = ()) -> None:
    """Demand the same rows; those that rooms keep may have become files."""
    before, after = rows_of(source.address), rows_of(target.address)
    moved = target.address.is_sqlite and not source.address.is_sqlite
    for name in before.keys() - set(but):
        is_moved = moved and name in {table.name for table in MOVED}
        assert after[name] == (b"" if is_moved else before[name]), name


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        str(each.relative_to(folder)): each.read_bytes()
        for each in sorted(folder.rglob("*"))
        if each.is_file() and not each.name.startswith("palabre.")
    }


@pytest.fixture(params=[(one, other) for one in KINDS for other in KINDS], ids="-to-".join)
def places(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Source, Target]:
    """What is backed up, and where that goes: of each kind in turn."""
    one, other = request.param
    source = Source(address_of(one, request, tmp_path / "a"), tmp_path / "a" / "data")
    source.data_dir.mkdir(parents=True, exist_ok=True)
    data_dir = tmp_path / "b" / "data"
    data_dir.parent.mkdir()
    address = sqlite_address(data_dir)
    if other == "postgres":
        address = address_of("postgres", request, tmp_path)
    return source, Target(address, data_dir)


def test_each_table_of_each_kind_goes_into_each_kind(
    places: tuple[Source, Target], tmp_path: Path
) -> None:
    source, target = places
    filled(source.address)
    (source.data_dir / "chat-logs").mkdir()
    (source.data_dir / "chat-logs" / "v2-2026-03-20.jsonl").write_text('{"a":1}\n')
    manifest = backup(source, tmp_path / "b.zip")
    told = {each.name: each.rows for each in manifest.tables}
    assert told == {
        name: 1 if name in SEEDED else COUNT for name in METADATA.tables if name not in OMITTED
    }
    restored = put_back(tmp_path / "b.zip", target)
    assert restored.aside is None
    assert_same(source, target)
    assert files_of(target.data_dir)["chat-logs/v2-2026-03-20.jsonl"] == b'{"a":1}\n'
    assert sorted(each.name for each in target.data_dir.parent.iterdir()) == ["data"]


def test_it_is_told_how_far_it_is_until_all_is_done(
    places: tuple[Source, Target], tmp_path: Path
) -> None:
    source, target = places
    filled(source.address)
    (source.data_dir / "topics.toml").write_text("topics")
    backup(source, tmp_path / "b.zip")
    told: list[tuple[int, int]] = []
    with opened_archive(tmp_path / "b.zip") as archive:
        restore(
            archive, target, at=NOW, may_replace=False, progress=lambda *each: told.append(each)
        )
    done = [each for each, _ in told]
    assert done == sorted(done)
    assert told[-1][0] == told[-1][1]


def test_numbers_go_on_where_they_were(places: tuple[Source, Target], tmp_path: Path) -> None:
    source, target = places
    add = text("INSERT INTO embedders (ref, dimensions) VALUES (:ref, 3) RETURNING id")
    with thread_connection(source.address, writes=True) as connection:
        for number in range(5):
            connection.execute(add, {"ref": f"fake/{number}"})
        connection.execute(text("DELETE FROM embedders WHERE id > 2"))
    backup(source, tmp_path / "b.zip")
    put_back(tmp_path / "b.zip", target)
    with thread_connection(target.address, writes=True) as connection:
        assert connection.execute(add, {"ref": "new"}).scalar_one() == 6


async def test_the_book_of_changes_is_whole_and_tells_of_the_restore(
    places: tuple[Source, Target], tmp_path: Path
) -> None:
    source, target = places
    database = await Database.open(source.address)
    async with SqlLedger(database, FrozenClock()).recording(THE_MACHINE, "user.add", "lea"):
        pass
    await database.aclose()
    backup(source, tmp_path / "b.zip")
    put_back(tmp_path / "b.zip", target)
    database = await Database.open(target.address)
    ledger = SqlLedger(database, FrozenClock())
    pages = [page async for page in ledger.pages()]
    assert [each.action for each in pages[0]] == ["user.add", "data.restore"]
    assert (await inspect(ledger)).verdict.broken_at is None
    await database.aclose()


OLD_DOCUMENT = (
    "INSERT INTO documents (number, id, source, title, sha256, text, chars, page_starts, recipe, "
    "chunk_count, added_at_ms, touched_at_ms) "
    "VALUES (4, 'doc_1', 'a.md', 'A', 'ff', 'Les abeilles', 12, '[]', 'r', 1, 5, 5)"
)
OLD_CHUNK = (
    "INSERT INTO chunks (id, document_id, start, text, terms, term_count) "
    "VALUES (3, 'doc_1', 0, 'Les abeilles', 'abeill', 1)"
)


@pytest.mark.parametrize("revision", [f"{number:04}" for number in range(1, int(HEAD) + 1)])
def test_a_backup_of_each_past_version_is_restored_and_brought_up_to_date(
    request: pytest.FixtureRequest, tmp_path: Path, revision: str
) -> None:
    source = Source(sqlite_address(tmp_path / "a"), tmp_path / "a")
    make_database(source.address, revision, [OLD_DOCUMENT, OLD_CHUNK])
    assert backup(source, tmp_path / "b.zip").schema_revision == revision
    with thread_connection(source.address, writes=False) as connection:
        assert current_revision(connection) == revision
    for kind in KINDS:
        address = address_of(kind, request, tmp_path / "c")
        target = Target(address, tmp_path / kind / "data")
        if kind == "sqlite":
            target = replace(target, address=sqlite_address(target.data_dir))
        target.data_dir.parent.mkdir()
        put_back(tmp_path / "b.zip", target)
        with thread_connection(target.address, writes=False) as connection:
            assert current_revision(connection) == HEAD
            titles = connection.execute(text("SELECT number, title FROM documents")).all()
            assert [tuple(each) for each in titles] == [(4, "A")]


async def test_what_is_restored_is_found_by_its_words(
    places: tuple[Source, Target], tmp_path: Path
) -> None:
    source, target = places
    for statement in (OLD_DOCUMENT, OLD_CHUNK):
        with thread_connection(source.address, writes=True) as connection:
            connection.execute(text(statement))
    database = await Database.open(source.address)
    said = [NewLine(NOW, "#general", "ana", "message", "Où sont les abeilles ?", 80)]
    async with database.writing() as connection:
        await add_lines(connection, said)
    await database.aclose()
    backup(source, tmp_path / "b.zip")
    put_back(tmp_path / "b.zip", target)
    database = await Database.open(target.address)
    hits = await SqlKnowledgeStore(database).words(["abeill"], 5)
    assert [each.chunk_id for each in hits.hits] == [3]
    if target.address.is_sqlite and not source.address.is_sqlite:  # a server follows the logs
        await LogFollower(target.data_dir, LogOffsets(database)).catch_up(None)
    found = await SqlHistoryStore(database).search(Wanted("ABEILLES", limit=5))
    assert [each.nick for each in found] == ["ana"]
    async with database.writing() as connection:
        await add_lines(connection, [replace(said[0], text="Encore des abeilles")])
    found = await SqlHistoryStore(database).search(Wanted("abeilles", limit=5))
    assert [each.text for each in found] == ["Encore des abeilles", "Où sont les abeilles ?"]
    await database.aclose()


def test_each_table_of_words_is_made_anew(tmp_path: Path) -> None:
    with thread_connection(sqlite_address(with_database(tmp_path)), writes=False) as connection:
        kinds = connection.execute(text("PRAGMA table_list")).all()
    assert sorted(each.name for each in kinds if each.type == "virtual") == sorted(REBUILT)


def test_each_function_and_sequence_of_postgres_is_known(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    functions = (
        "SELECT proname FROM pg_proc p WHERE pronamespace = 'public'::regnamespace AND NOT EXISTS "
        "(SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')"
    )
    free = (
        "SELECT relname FROM pg_class c WHERE relkind = 'S' AND NOT EXISTS "
        "(SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('a', 'i'))"
    )
    address = address_of("postgres", request, tmp_path)
    with thread_connection(address, writes=False) as connection:
        assert set(connection.scalars(text(functions))) == set(FUNCTIONS)
        assert set(connection.scalars(text(free))) == set(FREE_SEQUENCES)


def test_without_media_neither_files_nor_rows_of_them_are_in_it(
    places: tuple[Source, Target], tmp_path: Path
) -> None:
    source, target = places
    filled(source.address)
    (source.data_dir / "media" / "images").mkdir(parents=True)
    (source.data_dir / "media" / "images" / "1-00000000.png").write_bytes(b"png")
    whole, small = (
        backup(source, tmp_path / "a.zip"),
        backup(source, tmp_path / "b.zip", media=False),
    )
    assert [each.name for each in whole.files] == ["files/media/images/1-00000000.png"]
    assert not small.files
    assert {each.name for each in whole.tables} - {each.name for each in small.tables} == {
        "media",
        "media_pieces",
    }
    put_back(tmp_path / "b.zip", target)
    assert rows_of(target.address)["media"] == b""
    assert_same(source, target, but={"media", "media_pieces"})


def test_what_is_there_is_left_alone_unless_it_is_to_be_replaced(
    places: tuple[Source, Target], tmp_path: Path
) -> None:
    source, target = places
    filled(source.address)
    (source.data_dir / "topics.toml").write_text("new")
    backup(source, tmp_path / "b.zip")
    put_back(tmp_path / "b.zip", target)
    (target.data_dir / "topics.toml").write_text("old")
    with pytest.raises(NotEmptyError):
        put_back(tmp_path / "b.zip", target)
    assert files_of(target.data_dir)["topics.toml"] == b"old"
    with thread_connection(target.address, writes=True) as connection:
        connection.execute(text("DELETE FROM accounts"))
    restored = put_back(tmp_path / "b.zip", target, may_replace=True)
    assert restored.aside is not None
    assert restored.aside.name == "data.before-restore-20260320-100000"
    assert files_of(restored.aside)["topics.toml"] == b"old"
    assert files_of(target.data_dir)["topics.toml"] == b"new"
    assert_same(source, target)
    again = put_back(tmp_path / "b.zip", target, may_replace=True)
    assert again.aside is not None
    assert again.aside.name == "data.before-restore-20260320-100000-2"


def test_a_restore_that_fails_leaves_everything_as_it_was(
    places: tuple[Source, Target], tmp_path: Path
) -> None:
    source, target = places
    filled(source.address)
    backup(source, tmp_path / "b.zip")
    put_back(tmp_path / "b.zip", target)
    (target.data_dir / "topics.toml").write_text("old")
    before = rows_of(target.address)
    content = members_of(tmp_path / "b.zip")
    broken = content["tables/vectors.jsonl"].replace(b"[7,", b'["seven",')
    rewritten(tmp_path / "b.zip", tmp_path / "c.zip", {"tables/vectors.jsonl": broken})
    with pytest.raises((ArchiveRefusedError, StorageError)):
        put_back(tmp_path / "c.zip", target, may_replace=True)
    assert files_of(target.data_dir)["topics.toml"] == b"old"
    assert rows_of(target.address) == before
    assert sorted(each.name for each in target.data_dir.parent.iterdir()) == ["data"]


def members_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as packed:
        return {each: packed.read(each) for each in packed.namelist()}


def rewritten(path: Path, changed: Path, contents: dict[str, bytes]) -> None:
    """Write the backup *path* anew with other *contents*, and hashes that are right."""
    members = members_of(path) | contents
    manifest = msgspec.json.decode(members["manifest.json"])
    for member in manifest["members"]:
        content = members[member["name"]]
        member["sizeBytes"] = len(content)
        member["sha256"] = hashlib.sha256(content).hexdigest()
    members["manifest.json"] = msgspec.json.encode(manifest)
    with zipfile.ZipFile(changed, "w") as packed:
        for name, content in members.items():
            packed.writestr(name, content)


def test_an_older_backup_replaces_a_newer_database(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    source = Source(sqlite_address(tmp_path / "a"), tmp_path / "a")
    make_database(source.address, "0002", [OLD_DOCUMENT])
    backup(source, tmp_path / "b.zip")
    target = Target(address_of("postgres", request, tmp_path), tmp_path / "b")
    filled(target.address)
    with pytest.raises(NotEmptyError):
        put_back(tmp_path / "b.zip", target)
    put_back(tmp_path / "b.zip", target, may_replace=True)
    with thread_connection(target.address, writes=False) as connection:
        assert current_revision(connection) == HEAD
        for name in METADATA.tables.keys() - {"documents", "audit", *SEEDED}:
            assert connection.scalar(text(f'SELECT count(*) FROM "{name}"')) == 0, name  # noqa: S608
        assert connection.scalar(text("SELECT title FROM documents")) == "A"


async def test_a_postgres_that_others_use_is_left_alone(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    source = Source(sqlite_address(with_database(tmp_path / "a")), tmp_path / "a")
    backup(source, tmp_path / "b.zip")
    target = Target(address_of("postgres", request, tmp_path), tmp_path / "b")
    database = await Database.open(target.address)
    async with database.reading() as connection:
        await connection.execute(text("SELECT 1"))
        with pytest.raises(DatabaseInUseError):
            put_back(tmp_path / "b.zip", target)
    await database.aclose()
    put_back(tmp_path / "b.zip", target)
