"""/web: search the web and let personas comment on what is found (seed 000 §10, §13.2)."""

import asyncio
from asyncio import Task
from collections.abc import Sequence

from palabre.core.chat.commands import Call, Command
from palabre.core.chat.model import NoticeGiven
from palabre.core.chat.prompt import NOTHING_FOUND, search_told, searched_for
from palabre.core.models.errors import reason_of
from palabre.core.web.errors import NoSearchError
from palabre.core.web.hits import MAX_HITS, as_lines
from palabre.core.web.model import SearchHit
from palabre.kernel.errors import UpstreamError
from palabre.kernel.text import text, verbatim


async def _web(call: Call) -> list[Task[None]] | None:
    if not call.rest:
        call.answer("web.usage")
        return None
    call.answer("web.searching", query=call.rest)
    return [call.jobs.start(call.member, _search(call, call.rest))]


async def _search(call: Call, query: str) -> None:
    channel = call.channel
    try:
        found = as_lines(await _hits(call, query))
    except UpstreamError as error:
        call.answer("web.failed", reason=reason_of(error))
        return
    shown = verbatim(found) if found else text("web.nothing")
    call.rooms.publish(channel, NoticeGiven(text("web.results", query=query, results=shown)))
    turns = call.conversation.ask(
        call.member,
        search_told(query, found or NOTHING_FOUND),
        whom=searched_for(query),
        about=query,
    )
    if turns:
        await asyncio.wait(turns)


async def _hits(call: Call, query: str) -> Sequence[SearchHit]:
    if call.search is None:
        raise NoSearchError
    return await call.search.search(query, MAX_HITS)


COMMAND = Command("web", _web, usage=text("usage.web"), rank=6)
