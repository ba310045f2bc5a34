"""Accounts and sessions, for those who manage them. An addition to the seed."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError
from starlette.requests import Request

from palabre.core.auth.accounts import (
    MAX_PASSWORD_CHARS,
    MIN_PASSWORD_CHARS,
    AccountService,
    Changed,
)
from palabre.core.auth.model import Account, Permission, Role, Session
from palabre.kernel.clock import iso_utc, whole_ms
from palabre.surfaces.admin.session import Username
from palabre.surfaces.http.envelope import Envelope, refusals, told
from palabre.surfaces.http.gate import Gate, actor_of, session_of

DEFAULT_SESSIONS, MAX_SESSIONS = 200, 1000

_SHORTEST = {"minLength": MIN_PASSWORD_CHARS}
"""Told, but checked elsewhere: `password_unfit` says more than `validation_error`."""

Password = Annotated[
    str,
    Field(
        max_length=MAX_PASSWORD_CHARS,
        description="Characters that can be seen, and spaces.",
        json_schema_extra={**_SHORTEST},
    ),
]
Name = Annotated[str, Path(max_length=40, description="In any case.")]
Fingerprint = Annotated[str, Path(pattern="^[0-9a-f]{64}$")]
Limit = Annotated[int, Query(ge=1, le=MAX_SESSIONS)]


class NewUser(BaseModel):
    """An account that is to be."""

    username: Username
    password: Password
    role: Role = Role.VIEWER


def _given(name: str) -> JsonDict:
    return {"required": [name], "properties": {name: {"not": {"type": "null"}}}}


class UserChange(BaseModel):
    """What is to be another one of an account; one of the two at least."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [_given("role"), _given("password")]})

    role: Role | None = None
    password: Password | None = None

    @model_validator(mode="after")
    def _is_a_change(self) -> "UserChange":
        if self.role is None and self.password is None:
            raise PydanticCustomError("no_change", "role or password is needed")
        return self


class UserShown(BaseModel):
    """An account; its password is known to nobody."""

    username: str
    role: Role
    createdAt: str  # noqa: N815  the wire's names


class UserChanged(UserShown):
    """An account as it is by now, or was.

    Attributes:
        endedSessions: How many sessions of its name ended by the change.
    """

    endedSessions: int  # noqa: N815


class SessionShown(BaseModel):
    """A session; its id is known to its holder alone.

    Attributes:
        fingerprint: SHA-256 of the id.
        isYours: Whether it is the one that asks.
    """

    fingerprint: str
    username: str
    role: Role
    createdAt: str  # noqa: N815
    expiresAt: str  # noqa: N815
    isYours: bool  # noqa: N815


@dataclass(frozen=True, slots=True)
class UserRoutes:
    """Who has an account, and who is in. Only those who manage sessions.

    The last administrator can be removed or demoted, too: the owner has the token and the command
    line.
    """

    accounts: AccountService
    gate: Gate

    def router(self) -> APIRouter:
        """Return the routes."""
        allowed = self.gate.admin_needs(Permission.SESSION_MANAGE)
        router = APIRouter(prefix="/api/admin", tags=["users"], dependencies=[allowed])
        self._add_users(router)
        self._add_sessions(router)
        return router

    def _add_users(self, router: APIRouter) -> None:
        router.add_api_route(
            "/users",
            self._users,
            methods=["GET"],
            summary="List the accounts, by name",
            response_model=Envelope[list[UserShown]],
        )
        router.add_api_route(
            "/users",
            self._add,
            methods=["POST"],
            status_code=201,
            summary="Add an account; guests of its name lose their sessions",
            response_model=Envelope[UserChanged],
            responses=refusals(409),
        )
        router.add_api_route(
            "/users/{username}",
            self._change,
            methods=["PUT"],
            summary="Give an account another role or password, and end its sessions",
            response_model=Envelope[UserChanged],
            responses=refusals(404),
        )
        router.add_api_route(
            "/users/{username}",
            self._remove,
            methods=["DELETE"],
            summary="Remove an account and end its sessions",
            response_model=Envelope[UserChanged],
            responses=refusals(404),
        )

    def _add_sessions(self, router: APIRouter) -> None:
        router.add_api_route(
            "/sessions",
            self._sessions,
            methods=["GET"],
            summary="List the sessions that have not ended, newest first",
            response_model=Envelope[list[SessionShown]],
        )
        router.add_api_route(
            "/sessions/{fingerprint}",
            self._end,
            methods=["DELETE"],
            summary="End a session",
            response_model=Envelope[SessionShown],
            responses=refusals(404),
        )

    async def _users(self) -> Any:
        return told([_user(each) for each in await self.accounts.all()])

    async def _add(self, body: NewUser, request: Request) -> Any:
        by = actor_of(request)
        return told(
            _changed(await self.accounts.add(body.username, body.role, body.password, by=by))
        )

    async def _change(self, username: Name, body: UserChange, request: Request) -> Any:
        changed = await self.accounts.change(
            username, role=body.role, password=body.password, by=actor_of(request)
        )
        return told(_changed(changed))

    async def _remove(self, username: Name, request: Request) -> Any:
        return told(_changed(await self.accounts.remove(username, by=actor_of(request))))

    async def _sessions(self, request: Request, limit: Limit = DEFAULT_SESSIONS) -> Any:
        asking = session_of(request)
        return told([_session(each, asking) for each in await self.accounts.sessions(limit)])

    async def _end(self, fingerprint: Fingerprint, request: Request) -> Any:
        ended = await self.accounts.end_session(fingerprint, by=actor_of(request))
        return told(_session(ended, session_of(request)))


def _user(account: Account) -> UserShown:
    return UserShown(
        username=account.username,
        role=account.role,
        createdAt=iso_utc(whole_ms(account.created_at)),
    )


def _changed(changed: Changed) -> UserChanged:
    shown = _user(changed.account)
    return UserChanged(**shown.model_dump(), endedSessions=changed.ended_sessions)


def _session(session: Session, asking: Session) -> SessionShown:
    return SessionShown(
        fingerprint=session.fingerprint,
        username=session.username,
        role=session.role,
        createdAt=iso_utc(session.created_at),
        expiresAt=iso_utc(session.expires_at),
        isYours=session.fingerprint == asking.fingerprint,
    )
