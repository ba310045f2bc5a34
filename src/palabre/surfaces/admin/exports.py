"""`GET /api/v2/export/html`: what was said, to be kept elsewhere (seed 000 §15, facts 3.2)."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query
from starlette.responses import StreamingResponse

from palabre.core.auth.model import Permission
from palabre.core.history.model import Span
from palabre.core.history.service import History
from palabre.core.personas.model import Cast
from palabre.surfaces.admin.exported_page import POLICY, ExportedPage
from palabre.surfaces.admin.history import MAX_CHANNEL_CHARS, channel_named, parsed_date
from palabre.surfaces.http.envelope import refusals
from palabre.surfaces.http.gate import Gate
from palabre.texts import Language

DEFAULT_CHANNEL = "general"
MAX_DATE_CHARS = 40
HTML: dict[int | str, dict[str, Any]] = {
    200: {"description": "One page, which needs nothing else", "content": {"text/html": {}}}
}

InChannel = Annotated[str, Query(max_length=MAX_CHANNEL_CHARS, description="With `#` or without.")]
OfDay = Annotated[
    str,
    Query(
        max_length=MAX_DATE_CHARS,
        description="`YYYY-MM-DD`, in UTC; empty: no limit.",
        json_schema_extra={"anyOf": [{"const": ""}, {"format": "date"}]},
    ),
]

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]")


@dataclass(frozen=True, slots=True)
class ExportRoute:
    """Hands out a channel's messages as a page.

    Attributes:
        cast: Returns all personas, for their colours.
    """

    history: History
    cast: Callable[[], Cast]
    language: Language
    gate: Gate

    def router(self) -> APIRouter:
        """Return the route."""
        router = APIRouter(tags=["export"])
        router.add_api_route(
            "/api/v2/export/html",
            self._html,
            methods=["GET"],
            summary="Export what was said in a channel",
            response_class=StreamingResponse,
            responses=HTML | refusals(),
            dependencies=[self.gate.needs(Permission.CHAT_READ)],
        )
        return router

    async def _html(
        self, channel: InChannel = DEFAULT_CHANNEL, since: OfDay = "", until: OfDay = ""
    ) -> StreamingResponse:
        """Send the messages from *since* to *until*, both included; all without them."""
        span = Span(
            channel_named(channel),
            parsed_date(since) if since else None,
            parsed_date(until) if until else None,
        )
        colors = {str(each.nick): each.color for each in self.cast().personas}
        page = ExportedPage(span.channel, self.language, colors.get)
        lines = await self.history.exported(span)
        headers = {"Content-Disposition": attachment(channel), "Content-Security-Policy": POLICY}
        return StreamingResponse(
            page.pieces(lines), media_type="text/html; charset=utf-8", headers=headers
        )


def attachment(channel: str) -> str:
    """Return the header that names the file; a name that is not plain comes encoded as well."""
    bare = channel.removeprefix("#")
    plain = _UNSAFE.sub("_", bare)
    header = f'attachment; filename="kxkm-export-{plain}.html"'
    if plain == bare:
        return header
    whole = quote(f"kxkm-export-{bare}.html", safe="", errors="replace")
    return f"{header}; filename*=UTF-8''{whole}"
