"""Come in, say who is in, go out (seed 000 §15; shapes in its facts, 3.1)."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field
from starlette.requests import Request

from palabre.core.auth.accounts import MAX_PASSWORD_CHARS, MAX_USERNAME_CHARS
from palabre.core.auth.errors import LoginRefusedError, LoginsBusyError, TooManyLoginsError
from palabre.core.auth.model import SESSION_LIFE, Role, Session
from palabre.core.auth.service import AuthService, Login
from palabre.core.telemetry.ports import Telemetry
from palabre.kernel.clock import iso_utc
from palabre.surfaces.http.envelope import Envelope, refusals, told
from palabre.surfaces.http.gate import (
    COOKIE,
    OPEN,
    Gate,
    address_of,
    session_id_of,
    session_of,
)

MAX_TOKEN_CHARS = 256

Username = Annotated[
    str, Field(min_length=1, max_length=MAX_USERNAME_CHARS, pattern=r"^[A-Za-z0-9_]+$")
]


class LoginBody(BaseModel):
    """Who somebody is, and how they prove it (`loginSchema` of the seed).

    Attributes:
        role: Which one is asked for; only the token gives another one than `viewer`.
        password: Of the account of that name.
    """

    username: Username
    role: Role | None = None
    token: str | None = Field(default=None, max_length=MAX_TOKEN_CHARS)
    password: str | None = Field(default=None, max_length=MAX_PASSWORD_CHARS)


class SessionRecord(BaseModel):
    """A session, as its holder is told.

    Attributes:
        id: What the cookie holds.
        createdAt: In UTC, ISO 8601.
        expiresAt: An hour later.
    """

    id: str
    username: str
    role: Role
    createdAt: str  # noqa: N815  the wire's names
    expiresAt: str  # noqa: N815


class SessionRules(BaseModel):
    """What a client has to know before it logs in.

    Attributes:
        rooms: Whether the rooms want a session.
        guests: Whether a name without proof gets one, as a viewer.
    """

    rooms: Literal["open", "session"]
    guests: bool


class LoggedOut(BaseModel):
    """The session has ended."""

    loggedOut: Literal[True] = True  # noqa: N815


@dataclass(frozen=True, slots=True)
class SessionRoutes:
    """The entrance for people and for programs.

    Attributes:
        rooms: What the rooms want, for those who ask before they log in.
        always_secure: Whether the cookie is for HTTPS alone, even where the request seems to
            come without (a proxy that does not say so).
    """

    auth: AuthService
    gate: Gate
    telemetry: Telemetry
    rooms: Literal["open", "session"] = "open"
    always_secure: bool = False

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter(tags=["session"])
        router.add_api_route(
            "/api/session/login",
            self._log_in,
            methods=["POST"],
            summary="Log in",
            response_model=Envelope[SessionRecord],
            responses=refusals(401, 429, 503),
            dependencies=[OPEN],
        )
        router.add_api_route(
            "/api/session",
            self._session,
            methods=["GET"],
            summary="Tell whose session this is",
            response_model=Envelope[SessionRecord],
            dependencies=[self.gate.needs()],
        )
        router.add_api_route(
            "/api/session/rules",
            self._rules,
            methods=["GET"],
            summary="Tell who needs a session",
            response_model=Envelope[SessionRules],
            dependencies=[OPEN],
        )
        router.add_api_route(
            "/api/session/logout",
            self._log_out,
            methods=["POST"],
            summary="Log out",
            response_model=Envelope[LoggedOut],
            dependencies=[self.gate.needs()],
        )
        return router

    async def _log_in(self, body: LoginBody, request: Request, response: Response) -> Any:
        """Begin a session.

        The name of an account needs its password. Another name is a viewer where guests are let
        in, or has the role it asks for with the owner's token.
        """
        login = Login(body.username, body.role, body.token or "", body.password or "")
        try:
            entered = await self.auth.log_in(login, address_of(request))
        except (LoginRefusedError, LoginsBusyError, TooManyLoginsError) as error:
            self.telemetry.count("logins_refused", label=error.code)
            raise
        self.telemetry.count("logins", label=entered.session.role.value)
        life_s = int(SESSION_LIFE.total_seconds())
        response.headers["Set-Cookie"] = self._cookie(request, entered.session_id, life_s)
        return told(_record(entered.session_id, entered.session))

    async def _session(self, request: Request) -> Any:
        return told(_record(session_id_of(request), session_of(request)))

    async def _rules(self) -> Any:
        """An addition to the seed."""
        return told(SessionRules(rooms=self.rooms, guests=self.auth.lets_guests_in))

    async def _log_out(self, request: Request, response: Response) -> Any:
        await self.auth.log_out(session_id_of(request))
        response.headers["Set-Cookie"] = self._cookie(request, "", 0)
        return told(LoggedOut())

    def _cookie(self, request: Request, session_id: str, life_s: int) -> str:
        """Return the header, with its parts in the order of the existing program."""
        is_secure = self.always_secure or request.url.scheme in {"https", "wss"}
        secure = "Secure; " if is_secure else ""
        return f"{COOKIE}={session_id}; HttpOnly; {secure}SameSite=Strict; Path=/; Max-Age={life_s}"


def _record(session_id: str, session: Session) -> SessionRecord:
    return SessionRecord(
        id=session_id,
        username=session.username,
        role=session.role,
        createdAt=iso_utc(session.created_at),
        expiresAt=iso_utc(session.expires_at),
    )
