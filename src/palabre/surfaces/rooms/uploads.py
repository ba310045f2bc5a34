"""`POST /api/v2/uploads`: hand in a file, beside the socket."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Header, Query, Request
from starlette.responses import JSONResponse

from palabre.core.chat.errors import ReadOnlyError
from palabre.core.chat.members import Member
from palabre.core.chat.service import ChatService
from palabre.core.chat.shared_files import FileSizeError, UploadTooFastError
from palabre.core.media.errors import ExtensionRefusedError, FileRefusedError
from palabre.core.media.model import SharedFile
from palabre.kernel.errors import PalabreError, UserError
from palabre.kernel.text import Text, text
from palabre.surfaces.rooms.sent_file import from_form
from palabre.surfaces.rooms.tickets import Tickets
from palabre.texts import LANGUAGES, Language, say

MAX_AT_ONCE = 16
"""Files that come in at once over all clients; each may take `MAX_FILE_BYTES` of memory."""

MAX_AT_ONCE_EACH = 4
"""Of one client: who sends slowly keeps nobody else out."""

WITHIN_S = 300.0
"""Longest time that a file may take to come in."""

STATUS: dict[type[UserError], int] = {
    UploadTooFastError: 429,
    FileSizeError: 413,
    FileRefusedError: 415,
    ExtensionRefusedError: 415,
    ReadOnlyError: 403,
}

RETRY_AFTER_S = {429: 15, 503: 5}
"""When to try again, by status."""


class UploadRoute:
    """Takes files from those who hold a ticket (`uploadTicket` on their socket)."""

    def __init__(self, chat: ChatService, tickets: Tickets, language: Language) -> None:
        self._chat = chat
        self._tickets = tickets
        self._language = language
        self._coming = asyncio.Semaphore(MAX_AT_ONCE)
        self._coming_of: Counter[Member] = Counter()

    async def take(
        self,
        request: Request,
        ticket: Annotated[str, Header(alias="x-upload-ticket")] = "",
        lang: Annotated[str | None, Query()] = None,
    ) -> JSONResponse:
        """Take one file; 202 when personas are going to see it."""
        language = next((each for each in LANGUAGES if each == lang), self._language)
        member = self._tickets.holder(ticket)
        if member is None or not _is_own(request, member):
            return _refusal(401, "ticket_unknown", text("upload.ticket_unknown"), language)
        if self._coming.locked() or self._coming_of[member] >= MAX_AT_ONCE_EACH:
            return _refusal(503, "uploads_full", text("upload.full"), language)
        try:
            async with self._place(member), asyncio.timeout(WITHIN_S):
                sent = await from_form(request)
            files = self._chat.files
            file = files.check(member, sent.name, sent.content)
            if sent.purpose == "speech":
                files.listen(member, file)
            else:
                await files.share(member, file)
        except TimeoutError:
            return _refusal(408, "upload_slow", text("upload.slow"), language)
        except PalabreError as error:
            return _refusal(_status(error), error.code, error.text, language)
        return _taken(file)

    @asynccontextmanager
    async def _place(self, member: Member) -> AsyncGenerator[None]:
        self._coming_of[member] += 1
        try:
            async with self._coming:
                yield
        finally:
            self._coming_of[member] -= 1
            self._coming_of += Counter()  # forgets who sends nothing


def _is_own(request: Request, member: Member) -> bool:
    """Say whether the session that asks, if there is one, is that of *member*'s person."""
    session = getattr(request.state, "session", None)
    return session is None or session.username == member.visitor.username


def _status(error: PalabreError) -> int:
    known = next((status for kind, status in STATUS.items() if isinstance(error, kind)), None)
    return known or (400 if isinstance(error, UserError) else 503)


def _refusal(status: int, code: str, why: Text, language: Language) -> JSONResponse:
    body = {"ok": False, "error": code, "message": say(why, language)}
    headers = {"cache-control": "no-store"}
    if status in RETRY_AFTER_S:
        headers["retry-after"] = str(RETRY_AFTER_S[status])
    return JSONResponse(body, status, headers=headers)


def _taken(file: SharedFile) -> JSONResponse:
    data = {"filename": file.name, "size": len(file.content), "mime": file.type.mime}
    return JSONResponse({"ok": True, "data": data}, 202)
