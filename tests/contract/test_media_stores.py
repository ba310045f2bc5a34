"""Every `MediaStore` keeps what was made, and finds nothing else."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.support.databases import KINDS, address_of

from palabre.adapters.storage.media_files import FileMediaStore
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.media import SqlMediaStore
from palabre.core.media.errors import MediaFullError
from palabre.core.media.model import MediaItem, MediaKind
from palabre.core.media.ports import MediaStore
from palabre.kernel.errors import StorageError
from palabre.testing.media import MIB, MemoryMediaStore
from palabre.testing.telemetry import RecordingTelemetry

MakeStore = Callable[[Path], MediaStore]
STORES: dict[str, MakeStore] = {
    "files": lambda folder: FileMediaStore(folder, RecordingTelemetry(), max_bytes=2 * MIB),
    "memory": lambda _folder: MemoryMediaStore(max_bytes=2 * MIB),
}
NOW = datetime(2026, 3, 20, 10, tzinfo=UTC)


@pytest.fixture(params=[*STORES, *KINDS])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[MediaStore]:
    if request.param in STORES:
        yield STORES[request.param](tmp_path)
        return
    database = await Database.open(address_of(request.param, request, tmp_path))
    yield SqlMediaStore(database, max_bytes=2 * MIB)
    await database.aclose()


def an_item(number: int = 1, kind: MediaKind = "image", **changes: str) -> MediaItem:
    item_id = f"{1_774_000_000_000 + number}-{number:08x}"
    extension, mime = ("png", "image/png") if kind == "image" else ("wav", "audio/wav")
    fields = {"prompt": 'ville "d\'été" \u2028', "nick": "ana", "channel": "#general", **changes}
    return MediaItem(
        id=item_id,
        kind=kind,
        created_at=NOW,
        mime=mime,
        file_name=f"{item_id}.{extension}",
        **fields,
    )


async def content_of(store: MediaStore, item: MediaItem, *span: int) -> bytes:
    return b"".join([piece async for piece in store.read(item, *span)])


async def test_what_was_kept_is_found_and_read_as_it_was(store: MediaStore) -> None:
    item, content = an_item(), bytes(range(256)) * 3000
    await store.save(item, content)
    stored = await store.find("image", item.file_name)
    assert stored is not None
    assert (stored.item, stored.size_bytes) == (item, len(content))
    assert await content_of(store, item) == content
    assert await store.latest("image") == [item]


async def test_a_part_of_a_content_can_be_read(store: MediaStore) -> None:
    item = an_item(kind="audio")
    await store.save(item, b"0123456789")
    assert await content_of(store, item, 3) == b"3456789"
    assert await content_of(store, item, 3, 5) == b"345"
    assert await content_of(store, item, 8, 100) == b"89"
    assert await content_of(store, item, 10) == b""


async def test_the_newest_come_first_and_no_more_than_two_hundred(store: MediaStore) -> None:
    items = [an_item(number) for number in range(205)]
    for item in [*items[100:], *items[:100]]:
        await store.save(item, b"x")
    assert await store.latest("image") == items[:4:-1]
    assert await store.latest("image", 3) == items[:201:-1]


async def test_each_kind_is_listed_alone(store: MediaStore) -> None:
    picture, music = an_item(1), an_item(2, "audio")
    for item in (picture, music):
        await store.save(item, b"x")
    assert await store.latest("audio") == [music]
    assert await store.find("audio", picture.file_name) is None
    assert await store.find("image", music.file_name) is None


async def test_an_empty_store_lists_and_finds_nothing(store: MediaStore) -> None:
    assert await store.latest("image") == []
    assert await store.find("image", an_item().file_name) is None


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../images/{name}",
        "./{name}",
        "/etc/passwd",
        "{name}\0",
        "{name}\n",
        "{name}.json",
        "{id}.json",
        "{id}.svg",
        "{id}",
        "{name}/",
        "..%2f{name}",
        "x" * 5000,
        "\udcff.png",
    ],
)
async def test_no_other_name_finds_anything(store: MediaStore, name: str) -> None:
    item = an_item()
    await store.save(item, b"x")
    asked = name.replace("{name}", item.file_name).replace("{id}", item.id)
    assert await store.find("image", asked) is None


async def test_a_full_store_says_so_and_loses_nothing(store: MediaStore) -> None:
    first, second = an_item(1), an_item(2)
    await store.save(first, bytes(MIB + 1))
    with pytest.raises(MediaFullError) as caught:
        await store.save(second, bytes(MIB))
    assert caught.value.data == {"limit_mb": 2}
    assert await store.latest("image") == [first]
    await store.save(an_item(3), bytes(MIB // 2))


async def test_parts_of_a_large_content_are_read_over_the_borders_of_pieces(
    store: MediaStore,
) -> None:
    item, content = an_item(), bytes(number * 7 % 256 for number in range(MIB))
    await store.save(item, content)
    for first, last in [(0, 0), (262_143, 262_144), (262_144, 524_287), (100_000, 900_000)]:
        assert await content_of(store, item, first, last) == content[first : last + 1]


async def test_what_is_gone_cannot_be_read(store: MediaStore) -> None:
    with pytest.raises(StorageError):
        await content_of(store, an_item())
