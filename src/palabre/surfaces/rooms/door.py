"""Who may come in, and how long they stay."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from starlette.requests import HTTPConnection

from palabre.core.auth.errors import SessionRequiredError
from palabre.core.auth.model import Permission, Session
from palabre.core.auth.service import AuthService
from palabre.core.auth.watch import SessionWatch
from palabre.core.chat.visitors import Visitor
from palabre.surfaces.http.gate import session_id_of

SESSION_CLOSED = 4401
"""The close code of a connection whose session is absent or has ended: log in, then come again."""

NAME_REFUSED = 4409
"""The close code of a connection whose username cannot be used here: coming again is no use."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One connection of somebody who was let in.

    Attributes:
        session: What it lasts as long as; None where the rooms are open.
    """

    visitor: Visitor
    session: Session | None = None
    watch: SessionWatch | None = None

    async def is_current(self) -> bool:
        """Say whether they may still be here.

        Raises:
            StorageError: Nobody knows.
        """
        if self.session is None or self.watch is None:
            return True
        return await self.watch.is_current(self.session)

    @contextmanager
    def lasting(self, ended: Callable[[], None]) -> Iterator[None]:
        """Call *ended* when they may no longer be here."""
        if self.session is None or self.watch is None:
            yield
            return
        with self.watch.watching(self.session, ended):
            yield


@dataclass(frozen=True, slots=True)
class Door:
    """The entrance of rooms.

    Attributes:
        demands_session: Whether nobody comes in without one, and is called by its username.
    """

    auth: AuthService
    watch: SessionWatch
    demands_session: bool = False

    async def admit(self, connection: HTTPConnection, wished: str | None) -> Visit:
        """Let somebody in, who wishes for a nick.

        Raises:
            SessionRequiredError: They have no session, and need one.
        """
        session_id = session_id_of(connection)
        if self.demands_session:
            session = await self.auth.permit(session_id, Permission.CHAT_READ)
            return Visit(Visitor(None, session.username, session.role), session, self.watch)
        try:
            username = (await self.auth.session(session_id)).username if session_id else ""
        except SessionRequiredError:
            username = ""
        return Visit(Visitor(wished, username))
