"""Tell the server what the reader thinks of answers, one after the other."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TypeAlias
from urllib.parse import quote

import httpx2

from palabre.surfaces.rooms.tui.address import is_here
from palabre.surfaces.rooms.tui.entry import Entry
from palabre.surfaces.rooms.tui.login import Login, LoginRefusedError
from palabre.surfaces.rooms.tui.session import Session
from palabre.surfaces.rooms.tui.verdicts import (
    Verdict,
    VerdictWish,
    Vote,
    found,
    last_answer,
    marked,
    of_answer,
    put_back,
    unmarked,
)

TICKET = "x-upload-ticket"
"""The header that says whose connection it is, where nobody has a session."""

TICKET_WAIT_S = 10
_TIMEOUT_S = 15
_KNOWN = frozenset({"reply_not_found", "persona_not_found", "feedback_too_fast"})


class VerdictRefusedError(Exception):
    """The server does not take it.

    Attributes:
        reason: The text `tui.thumb.<reason>`.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


TellVerdict: TypeAlias = Callable[[Verdict, str], Awaitable[None]]
"""Tells the server a verdict, with a ticket; raises VerdictRefusedError."""

Note: TypeAlias = Callable[..., None]
"""Says a text of the client: its code, and what is in it."""


@dataclass(frozen=True, slots=True)
class FeedbackRoute:
    """The server's route.

    Attributes:
        login: Who comes; None where nobody is asked.
    """

    url: str
    login: Login | None = None

    async def __call__(self, verdict: Verdict, ticket: str) -> None:
        """Tell *verdict*.

        Raises:
            VerdictRefusedError: It was not taken.
        """
        try:
            shown = await self.login.headers() if self.login else {}
            async with httpx2.AsyncClient(
                timeout=_TIMEOUT_S, trust_env=not is_here(self.url)
            ) as client:
                answer = await self._sent(client, verdict, {**shown, TICKET: ticket})
        except (httpx2.HTTPError, OSError, LoginRefusedError) as error:
            raise VerdictRefusedError("unreachable", str(error)) from error
        is_gone = verdict.withdraws and answer.status_code == HTTPStatus.NOT_FOUND
        if not (answer.is_success or is_gone):
            raise _refused(answer)

    async def _sent(
        self, client: httpx2.AsyncClient, verdict: Verdict, headers: dict[str, str]
    ) -> httpx2.Response:
        if not verdict.withdraws:
            return await client.post(self.url, json=verdict.body, headers=headers)
        which = {"personaNick": verdict.nick, "vote": verdict.vote}
        url = f"{self.url}/{quote(verdict.reply_id, safe='')}"
        return await client.delete(url, params=which, headers=headers)


class Judging:
    """Marks answers at once, tells the server, and takes marks back that it does not take.

    Args:
        ask: Asks the server for a ticket; it comes to `take_ticket`.

    Attributes:
        says_marks: Whether each mark is said in words too: where lines are never drawn anew.
    """

    def __init__(
        self, session: Session, tell: TellVerdict | None, ask: Callable[[], None], note: Note
    ) -> None:
        self.says_marks = False
        self._session = session
        self._tell = tell
        self._ask = ask
        self._note = note
        self._queue: asyncio.Queue[tuple[Entry, Vote, str]] = asyncio.Queue()
        self._ticket = ""
        self._came = asyncio.Event()

    def judge(self, wish: VerdictWish) -> None:
        """Mark the answer that is meant, and tell the server soon."""
        entry = last_answer(self._session, wish.nick)
        if wish.vote is None:
            self._note("thumb.usage")
        elif entry is None:
            self._note("thumb.nothing")
        else:
            put_back(self._session, marked(entry, wish.vote))
            self._queue.put_nowait((entry, wish.vote, self._session.channel))

    def take_ticket(self, ticket: str) -> None:
        """The server gave *ticket*."""
        self._ticket = ticket
        self._came.set()

    def drop_ticket(self) -> None:
        """The connection ended, and its ticket with it."""
        self._ticket = ""
        self._came.clear()

    async def run(self, changed: Callable[[], None]) -> None:
        """Work until cancelled; *changed* is called after each answer of the server."""
        while True:
            entry, vote, channel = await self._queue.get()
            verdict = of_answer(entry, vote, channel)
            try:
                await self._told(verdict)
            except VerdictRefusedError as error:
                self._take_back(entry, vote)
                self._note(f"thumb.{error.reason}", nick=entry.nick, detail=error.detail)
            else:
                if self.says_marks:
                    said = "withdrawn" if verdict.withdraws else vote
                    self._note(f"thumb.{said}", nick=entry.nick)
            changed()

    async def _told(self, verdict: Verdict) -> None:
        if self._tell is None:
            raise VerdictRefusedError("unreachable")
        await self._tell(verdict, await self._held_ticket())

    async def _held_ticket(self) -> str:
        if not self._ticket:
            self._ask()
            try:
                async with asyncio.timeout(TICKET_WAIT_S):
                    await self._came.wait()
            except TimeoutError:
                raise VerdictRefusedError("unreachable") from None
        return self._ticket

    def _take_back(self, before: Entry, vote: Vote) -> None:
        entry = found(self._session, before.id)
        if entry is not None:
            put_back(self._session, unmarked(entry, vote, before))


def _refused(answer: httpx2.Response) -> VerdictRefusedError:
    try:
        code = str(answer.json().get("error", ""))
    except (ValueError, AttributeError):
        code = ""
    if code in _KNOWN:
        return VerdictRefusedError(code)
    return VerdictRefusedError("refused", code or f"HTTP {answer.status_code}")
