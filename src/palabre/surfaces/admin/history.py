"""What was said: by day, and searched (seed 000 §15; shapes in its facts, 2.33 and 3.2)."""

from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from palabre.core.auth.model import Permission
from palabre.core.history.errors import DateFormatError
from palabre.core.history.model import RAW, Line, Wanted
from palabre.core.history.service import MAX_SEARCH_CHARS, History
from palabre.kernel.clock import iso_utc
from palabre.surfaces.http.envelope import Envelope, refusals, told
from palabre.surfaces.http.gate import Gate

PAGE_LINES, MAX_PAGE_LINES = 200, 1000
FOUND_LINES, MAX_FOUND_LINES = 50, 200
LARGEST = 2**53 - 1
MAX_CHANNEL_CHARS = 100

PageLimit = Annotated[
    int, Query(ge=1, le=LARGEST, description=f"More than {MAX_PAGE_LINES} is that.")
]
FoundLimit = Annotated[
    int, Query(ge=1, le=LARGEST, description=f"More than {MAX_FOUND_LINES} is that.")
]
Offset = Annotated[int, Query(ge=0, le=LARGEST)]
Before = Annotated[int | None, Query(ge=1, le=LARGEST)]
Words = Annotated[str, Query(max_length=MAX_SEARCH_CHARS, description="Two signs or more.")]
InChannel = Annotated[str, Query(max_length=MAX_CHANNEL_CHARS)]
Day = Annotated[
    str, Path(json_schema_extra={"format": "date"}, description="`YYYY-MM-DD`, in UTC.")
]


class LogFile(BaseModel):
    """A day of which something is kept.

    Attributes:
        size: In bytes.
    """

    date: str
    lines: int
    size: int


class LogFiles(BaseModel):
    """The newest days of which something is kept, the newest first."""

    files: list[LogFile]


class Said(BaseModel):
    """A line of a day's log; one that makes no sense has only `text` and the type `raw`."""

    model_config = ConfigDict(extra="forbid")

    ts: str | None = None
    channel: str | None = None
    nick: str | None = None
    type: str = Field(examples=["message", "system", "raw"])
    text: str


class LogPage(BaseModel):
    """Some lines of a day, oldest first."""

    messages: list[Said]
    total: int
    limit: int
    offset: int


class Result(BaseModel):
    """A line that holds what was searched."""

    date: str
    ts: str
    nick: str
    text: str
    type: str
    channel: str
    id: int


class Results(BaseModel):
    """What a search found, the newest first.

    Attributes:
        total: How many are told here.
        next: The `before` of the next page; null at the end.
        complete: Whether all was searched; false while logs are still being read.
    """

    results: list[Result]
    query: str
    total: int
    next: int | None = None
    complete: bool = True


@dataclass(frozen=True, slots=True)
class HistoryRoutes:
    """Days, the lines of a day, and search; for every session."""

    history: History
    gate: Gate

    def router(self) -> APIRouter:
        """Return the routes."""
        readers = self.gate.needs(Permission.CHAT_READ)
        router = APIRouter(prefix="/api/v2/chat", dependencies=[readers], tags=["history"])
        router.add_api_route(
            "/history",
            self._days,
            methods=["GET"],
            summary="List the days of which something is kept",
            response_model=Envelope[LogFiles],
        )
        router.add_api_route(
            "/history/{date}",
            self._day,
            methods=["GET"],
            summary="Read what was said on a day",
            response_model=Envelope[LogPage],
            response_model_exclude_none=True,
            responses=refusals(404),
        )
        router.add_api_route(
            "/search",
            self._search,
            methods=["GET"],
            summary="Search what was said",
            response_model=Results,
        )
        return router

    async def _days(self) -> Any:
        """List the 30 newest days, in UTC."""
        days = await self.history.days()
        files = [(each.date.isoformat(), each.lines, each.size_bytes) for each in days]
        return told({"files": [{"date": d, "lines": n, "size": size} for d, n, size in files]})

    async def _day(self, date: Day, limit: PageLimit = PAGE_LINES, offset: Offset = 0) -> Any:
        """Tell the lines of the day `YYYY-MM-DD` (UTC), oldest first."""
        limit = min(limit, MAX_PAGE_LINES)
        page = await self.history.day(parsed_date(date), limit, offset)
        messages = [_said(line) for line in page.lines]
        shown = {"messages": messages, "total": page.total, "limit": limit, "offset": offset}
        return told(shown)

    async def _search(
        self,
        q: Words = "",
        limit: FoundLimit = FOUND_LINES,
        before: Before = None,
        channel: InChannel = "",
    ) -> Any:
        """Find what holds the words in a text or a nick, whatever their case and accents.

        Less than two signs find nothing.
        """
        limit = min(limit, MAX_FOUND_LINES)
        wanted = Wanted(q, limit + 1, before, channel_named(channel) if channel else None)
        found = await self.history.search(wanted)
        shown = found.lines[:limit]
        return {
            "results": [_result(line) for line in shown],
            "query": q if found.was_searched else "",
            "total": len(shown),
            "next": shown[-1].id if len(found.lines) > limit else None,
            "complete": found.is_complete,
        }


def parsed_date(words: str) -> date:
    """Return the day `YYYY-MM-DD`.

    Raises:
        DateFormatError: It is written otherwise, or there is no such day.
    """
    try:
        day = date.fromisoformat(words)
    except ValueError:
        raise DateFormatError(date=words[:40]) from None
    if day.isoformat() != words:
        raise DateFormatError(date=words[:40])
    return day


def channel_named(words: str) -> str:
    """Return the channel's name with its `#`, which addresses may leave out."""
    return words if words.startswith("#") else f"#{words}"


def _said(line: Line) -> dict[str, str]:
    if line.kind == RAW:
        return {"text": line.text, "type": RAW}
    return {
        "ts": iso_utc(line.at),
        "channel": line.channel,
        "nick": line.nick,
        "type": line.kind,
        "text": line.text,
    }


def _result(line: Line) -> dict[str, str | int]:
    shown: dict[str, str | int] = {"channel": line.channel, "id": line.id}
    shown |= {"date": line.day.isoformat(), "ts": iso_utc(line.at)}
    return shown | {"nick": line.nick, "text": line.text, "type": line.kind}
