"""Accounts and sessions over HTTP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from palabre.core.auth.accounts import AccountService
from palabre.core.auth.model import Account, Role, Session
from palabre.core.auth.service import AuthRules, AuthService, fingerprint
from palabre.surfaces.admin.users import UserRoutes
from palabre.surfaces.http.errors import answer_errors_in_json
from palabre.surfaces.http.gate import HEADER, Gate
from palabre.testing.audit import MemoryLedger
from palabre.testing.auth import (
    CountingSecrets,
    MemoryAccountStore,
    MemorySessionStore,
    PlainHasher,
)
from palabre.testing.clock import FrozenClock
from palabre.testing.ids import CountingIds

GOOD, OTHER = "dix lettres", "une autre phrase"
USERS, SESSIONS = "/api/admin/users", "/api/admin/sessions"


class House:
    """Lea is an editor; of each role somebody is in, by an id that begins with its name."""

    def __init__(self) -> None:
        self.clock, self.sessions = FrozenClock(), MemorySessionStore()
        self.ledger = MemoryLedger(self.clock)
        lea = Account("Lea", Role.EDITOR, f"plain:{GOOD}", self.clock.now())
        accounts, hasher = MemoryAccountStore(lea), PlainHasher()
        for role in Role:
            self.let_in(role.value, f"{role.value}_1", role)
        self.auth = AuthService(
            accounts=accounts,
            sessions=self.sessions,
            hasher=hasher,
            secrets=CountingSecrets(),
            clock=self.clock,
            rules=AuthRules(),
        )
        self.accounts = AccountService(
            accounts=accounts,
            sessions=self.sessions,
            hasher=hasher,
            ledger=self.ledger,
            clock=self.clock,
            reserved=personas,
        )

    def let_in(self, session_id: str, name: str, role: Role) -> None:
        now = self.clock.now()
        session = Session(fingerprint(session_id), name, role, now, now + timedelta(hours=1))
        self.sessions.sessions[session.fingerprint] = session

    @asynccontextmanager
    async def client(self, session_id: str = "admin") -> AsyncIterator[httpx2.AsyncClient]:
        http = FastAPI()
        answer_errors_in_json(http, CountingIds())
        http.include_router(UserRoutes(self.accounts, Gate(self.auth)).router())
        transport = httpx2.ASGITransport(app=http, client=("10.0.0.7", 1))
        headers = {HEADER: session_id}
        async with httpx2.AsyncClient(
            transport=transport, base_url="http://here", headers=headers
        ) as client:
            yield client


async def personas() -> list[str]:
    return ["Batty"]


def new(**given: Any) -> dict[str, Any]:
    return {"username": "Marc", "password": GOOD, **given}


async def test_an_account_is_added_listed_changed_and_removed() -> None:
    house = House()
    house.let_in("guest", "marc", Role.VIEWER)
    async with house.client() as client:
        added = await client.post(USERS, json=new(role="operator"))
        assert added.status_code == 201
        marc = added.json()["data"]
        created = marc.pop("createdAt")
        assert created.endswith("Z")
        assert marc == {"username": "Marc", "role": "operator", "endedSessions": 1}
        listed = (await client.get(USERS)).json()["data"]
        assert [each["username"] for each in listed] == ["Lea", "Marc"]
        assert listed[1] == {"username": "Marc", "role": "operator", "createdAt": created}
        house.let_in("marc", "Marc", Role.OPERATOR)
        changed = await client.put(f"{USERS}/marc", json={"role": "editor", "password": OTHER})
        assert changed.json()["data"]["role"] == "editor"
        assert changed.json()["data"]["endedSessions"] == 1
        removed = await client.delete(f"{USERS}/MARC")
        assert removed.json()["data"]["username"] == "Marc"
        assert len((await client.get(USERS)).json()["data"]) == 1
    actions = [each.action for each in house.ledger.book]
    assert actions == ["user.add", "user.update", "user.remove"]
    assert {(each.actor.name, each.actor.role) for each in house.ledger.book} == {
        ("admin_1", "admin")
    }
    assert {each.actor.address for each in house.ledger.book} == {"10.0.0.7"}


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", USERS, new(username="LEA"), 409, "username_taken"),
        ("POST", USERS, new(username="batty"), 409, "username_of_persona"),
        ("POST", USERS, new(username=""), 400, "validation_error"),
        ("POST", USERS, new(username="a" * 41), 400, "validation_error"),
        ("POST", USERS, new(username="léa"), 400, "validation_error"),
        ("POST", USERS, new(password="neuf char"), 400, "password_unfit"),  # noqa: S106
        ("POST", USERS, new(password="x" * 257), 400, "validation_error"),
        ("POST", USERS, new(role="owner"), 400, "validation_error"),
        ("POST", USERS, {"username": "Marc"}, 400, "validation_error"),
        ("PUT", f"{USERS}/lea", {}, 400, "validation_error"),
        ("PUT", f"{USERS}/lea", {"password": "short"}, 400, "password_unfit"),
        ("PUT", f"{USERS}/nobody", {"role": "admin"}, 404, "no_account"),
        ("PUT", f"{USERS}/l%C3%A9a", {"role": "admin"}, 400, "invalid_username"),
        ("DELETE", f"{USERS}/nobody", None, 404, "no_account"),
        ("DELETE", f"{SESSIONS}/{'0' * 64}", None, 404, "session_not_found"),
        ("DELETE", f"{SESSIONS}/x", None, 400, "validation_error"),
        ("GET", f"{SESSIONS}?limit=1001", None, 400, "validation_error"),
    ],
)
async def test_what_is_wrong_is_told_and_changes_nothing(
    method: str, path: str, body: dict[str, Any] | None, status: int, code: str
) -> None:
    house = House()
    async with house.client() as client:
        answer = await client.request(method, path, json=body)
        assert (answer.status_code, answer.json()["error"]) == (status, code)
        assert GOOD not in answer.text
        assert [each["username"] for each in (await client.get(USERS)).json()["data"]] == ["Lea"]
    assert house.ledger.book == []
    assert len(house.sessions.sessions) == len(Role)


async def test_sessions_are_listed_without_their_ids_and_can_be_ended() -> None:
    house = House()
    async with house.client() as client:
        listed = (await client.get(SESSIONS)).json()["data"]
        assert {each["username"]: each["isYours"] for each in listed} == {
            f"{role.value}_1": role is Role.ADMIN for role in Role
        }
        assert len((await client.get(f"{SESSIONS}?limit=2")).json()["data"]) == 2
        viewer = next(each for each in listed if each["role"] == "viewer")
        ended = await client.delete(f"{SESSIONS}/{viewer['fingerprint']}")
        assert ended.json()["data"] == viewer
        assert (await client.delete(f"{SESSIONS}/{viewer['fingerprint']}")).status_code == 404
        left = (await client.get(SESSIONS)).json()["data"]
        assert viewer not in left
        assert len(left) == len(Role) - 1
    assert [each.action for each in house.ledger.book] == ["session.end"]


async def test_an_administrator_may_demote_the_last_one_and_is_out_by_that() -> None:
    house = House()
    async with house.client() as client:
        await client.post(USERS, json=new(role="admin"))
    house.let_in("marc", "Marc", Role.ADMIN)
    async with house.client("marc") as client:
        demoted = await client.put(f"{USERS}/marc", json={"role": "viewer"})
        assert demoted.json()["data"]["endedSessions"] == 1
        assert (await client.get(USERS)).status_code == 401
