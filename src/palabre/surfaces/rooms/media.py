"""Pictures and music that were made, over HTTP (seed 000 §15, facts 3.2)."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from fastapi.params import Depends
from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from palabre.core.media.model import MEDIA_FOLDERS, MediaKind, StoredMedia
from palabre.core.media.ports import ContentPieces, MediaStore
from palabre.kernel.errors import StorageError
from palabre.surfaces.http.envelope import Envelope, refusals
from palabre.surfaces.http.gate import OPEN

_KINDS = {folder: kind for kind, folder in MEDIA_FOLDERS.items()}

INLINE = frozenset(
    {
        *("image/png", "image/jpeg", "image/webp", "image/gif"),
        *("audio/wav", "audio/mpeg", "audio/ogg", "audio/flac"),
    }
)
"""What browsers may show; everything else, such as SVG, is only to be saved."""

SAFE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
FOR_EVER = "private, max-age=31536000, immutable"
"""An id stands for one content."""

_RANGE = re.compile(r"bytes=(?P<first>[0-9]{0,15})-(?P<last>[0-9]{0,15})")


_CONTENTS: dict[int | str, dict[str, Any]] = {
    200: {"description": "All of it", "content": {"*/*": {}}},
    206: {"description": "The bytes of the header Range", "content": {"*/*": {}}},
    304: {"description": "It is what the header If-None-Match names"},
    416: {"description": "There are no such bytes"},
}


class MediaShown(BaseModel):
    """What is told of a picture or a piece of music."""

    model_config = ConfigDict(extra="allow")

    id: str
    type: MediaKind
    prompt: str
    nick: str
    channel: str
    createdAt: str  # noqa: N815  the wire's names
    mime: str
    filename: str


class RangeRefusedError(ValueError):
    """Nothing of what is asked for is there."""


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes of a content, both ends with it."""

    first: int
    last: int

    @property
    def size_bytes(self) -> int:
        """How many there are."""
        return self.last + 1 - self.first


@dataclass(frozen=True, slots=True)
class MediaRoutes:
    """Lists what is kept and hands it out.

    Attributes:
        access: Whom it is for: everybody, as the seed has it, unless the rooms ask for a session.
    """

    store: MediaStore
    access: Depends = OPEN

    def router(self) -> APIRouter:
        """Return the routes; each answers HEAD as well."""
        router = APIRouter(tags=["media"], dependencies=[self.access])
        for folder in _KINDS:
            path = f"/api/v2/media/{folder}"
            one = f"{path}/{{filename}}"
            router.add_api_route(
                path,
                self._list,
                methods=["GET"],
                summary=f"List the {folder} that were made last",
                responses={200: {"model": Envelope[list[MediaShown]]}, **refusals(503)},
            )
            router.add_api_route(
                one,
                self._serve,
                methods=["GET"],
                summary=f"Hand out one of the {folder}",
                responses={**_CONTENTS, **refusals(404)},
            )
            for same, answer in ((path, self._list), (one, self._serve)):
                router.add_api_route(same, answer, methods=["HEAD"], include_in_schema=False)
        return router

    async def _list(self, request: Request) -> Response:
        try:
            items = await self.store.latest(_kind(request))
        except StorageError:
            return JSONResponse({"ok": False, "error": "storage"}, 503)
        return JSONResponse({"ok": True, "data": [each.described for each in items]})

    async def _serve(self, filename: str, request: Request) -> Response:
        stored = await self.store.find(_kind(request), filename)
        if stored is None:
            return _not_found()
        headers = _headers(stored)
        if headers["ETag"] in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        try:
            span = wanted(_range_of(request, headers["ETag"]), stored.size_bytes)
        except RangeRefusedError:
            length = {"Content-Range": f"bytes */{stored.size_bytes}"}
            return Response(status_code=416, headers={**headers, **length})
        return await self._sent(request, stored, headers, span)

    async def _sent(
        self, request: Request, stored: StoredMedia, headers: dict[str, str], span: Span | None
    ) -> Response:
        status, whole = 200, Span(0, stored.size_bytes - 1)
        if span is not None:
            status = 206
            headers["Content-Range"] = f"bytes {span.first}-{span.last}/{stored.size_bytes}"
        span = span or whole
        headers["Content-Length"] = str(span.size_bytes)
        if request.method == "HEAD":
            return Response(status_code=status, headers=headers)
        pieces = self.store.read(stored.item, span.first, span.last)
        try:
            beginning = await anext(pieces, b"")
        except StorageError:
            return _not_found()
        return StreamingResponse(_joined(beginning, pieces), status, headers)


def wanted(asked: str, size_bytes: int) -> Span | None:
    """Return the bytes that the header *asked* wants; None wants all, or cannot be understood.

    Raises:
        RangeRefusedError: There are no such bytes.
    """
    match = _RANGE.fullmatch(asked.strip())
    if match is None or not (match["first"] or match["last"]):
        return None
    if not match["first"]:
        first, last = max(0, size_bytes - int(match["last"])), size_bytes - 1
    else:
        first = int(match["first"])
        last = min(int(match["last"] or size_bytes - 1), size_bytes - 1)
        if match["last"] and int(match["last"]) < first:
            return None
    if first > last:
        raise RangeRefusedError
    return Span(first, last)


def _kind(request: Request) -> MediaKind:
    return _KINDS[request.url.path.removeprefix("/api/v2/media/").partition("/")[0]]


def _range_of(request: Request, tag: str) -> str:
    known = request.headers.get("if-range", tag)
    return request.headers.get("range", "") if known == tag else ""


def _headers(stored: StoredMedia) -> dict[str, str]:
    item = stored.item
    is_shown = item.mime in INLINE
    how = "inline" if is_shown else "attachment"
    return {
        **SAFE_HEADERS,
        "Accept-Ranges": "bytes",
        "Cache-Control": FOR_EVER,
        "Content-Disposition": f'{how}; filename="{item.file_name}"',
        "Content-Type": item.mime if is_shown else "application/octet-stream",
        "ETag": f'"{item.id}"',
    }


def _not_found() -> Response:
    return JSONResponse({"ok": False, "error": "not_found"}, 404)


async def _joined(beginning: bytes, pieces: ContentPieces) -> AsyncIterator[bytes]:
    yield beginning
    async for piece in pieces:
        yield piece
