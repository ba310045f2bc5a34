"""Media over HTTP: only what is kept, never anything that runs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest
from fastapi import FastAPI
from tests.contract.test_media_stores import an_item

from palabre.core.media.model import MediaItem
from palabre.surfaces.http.answers import SecuredAnswers
from palabre.surfaces.rooms.media import MediaRoutes, RangeRefusedError, Span, wanted
from palabre.testing.media import MemoryMediaStore

CONTENT = b"0123456789"
AUDIO = "/api/v2/media/audio"


@asynccontextmanager
async def web(*items: MediaItem) -> AsyncIterator[httpx2.AsyncClient]:
    store, http = MemoryMediaStore(), FastAPI()
    for item in items:
        await store.save(item, CONTENT)
    http.include_router(MediaRoutes(store).router())
    http.add_middleware(SecuredAnswers)
    transport = httpx2.ASGITransport(app=http)
    async with httpx2.AsyncClient(transport=transport, base_url="http://here") as client:
        yield client


async def test_a_file_comes_with_headers_that_let_it_do_nothing() -> None:
    item = an_item(kind="audio")
    async with web(item) as client:
        answer = await client.get(f"{AUDIO}/{item.file_name}")
    headers = answer.headers
    assert (answer.status_code, answer.content) == (200, CONTENT)
    assert headers["content-type"] == "audio/wav"
    assert headers["content-disposition"] == f'inline; filename="{item.file_name}"'
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cache-control"] == "private, max-age=31536000, immutable"
    assert headers["etag"] == f'"{item.id}"'
    assert headers["accept-ranges"] == "bytes"


@pytest.mark.parametrize("mime", ["image/svg+xml", "text/html", "application/pdf", "", "x\r\ny: z"])
async def test_what_could_run_is_only_to_be_saved(mime: str) -> None:
    item = an_item()
    item = MediaItem(
        item.id, "image", "x", "ana", "#general", item.created_at, mime, f"{item.id}.svg"
    )
    async with web(item) as client:
        answer = await client.get(f"/api/v2/media/images/{item.file_name}")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith("attachment")


@pytest.mark.parametrize(
    "name", ["absent.wav", "..%2f..%2fetc%2fpasswd", "%2e%2e", "x%00", "1-00000000.json"]
)
async def test_everything_else_is_not_found(name: str) -> None:
    async with web(an_item(kind="audio")) as client:
        answer = await client.get(f"{AUDIO}/{name}")
    assert answer.status_code == 404
    if "%2f" not in name:
        assert answer.json() == {"ok": False, "error": "not_found"}


async def test_head_tells_the_size_and_sends_nothing() -> None:
    item = an_item(kind="audio")
    async with web(item) as client:
        answer = await client.head(f"{AUDIO}/{item.file_name}")
        listed = await client.head(AUDIO)
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-length"] == "10"
    assert listed.status_code == 200


async def test_a_part_is_sent_and_what_is_not_there_refused() -> None:
    item = an_item(kind="audio")
    async with web(item) as client:
        part = await client.get(f"{AUDIO}/{item.file_name}", headers={"range": "bytes=2-4"})
        beyond = await client.get(f"{AUDIO}/{item.file_name}", headers={"range": "bytes=10-"})
        changed = {"range": "bytes=2-4", "if-range": '"other"'}
        whole = await client.get(f"{AUDIO}/{item.file_name}", headers=changed)
    assert (part.status_code, part.content) == (206, b"234")
    assert (part.headers["content-range"], part.headers["content-length"]) == ("bytes 2-4/10", "3")
    assert (beyond.status_code, beyond.headers["content-range"]) == (416, "bytes */10")
    assert (whole.status_code, whole.content) == (200, CONTENT)


async def test_who_has_it_already_is_sent_nothing() -> None:
    item = an_item(kind="audio")
    async with web(item) as client:
        known = {"if-none-match": f'"{item.id}"'}
        answer = await client.get(f"{AUDIO}/{item.file_name}", headers=known)
    assert (answer.status_code, answer.content) == (304, b"")


@pytest.mark.parametrize(
    ("asked", "span"),
    [
        ("", None),
        ("bytes=0-0", Span(0, 0)),
        ("bytes=0-", Span(0, 9)),
        ("bytes=5-999", Span(5, 9)),
        ("bytes=-3", Span(7, 9)),
        ("bytes=-99", Span(0, 9)),
        ("bytes=5-2", None),
        ("bytes=-", None),
        ("bytes=0-1,3-4", None),
        ("lines=0-1", None),
        (f"bytes={'9' * 400}-", None),
    ],
)
def test_a_range_is_read_as_http_says(asked: str, span: Span | None) -> None:
    assert wanted(asked, 10) == span


@pytest.mark.parametrize(("asked", "size"), [("bytes=10-", 10), ("bytes=-0", 10), ("bytes=0-", 0)])
def test_a_range_without_bytes_is_refused(asked: str, size: int) -> None:
    with pytest.raises(RangeRefusedError):
        wanted(asked, size)
