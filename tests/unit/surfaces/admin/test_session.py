"""Login, session and logout, in front of the real gate."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from palabre.core.auth.model import Account, Role
from palabre.core.auth.service import AuthRules, AuthService
from palabre.surfaces.admin.session import SessionRoutes
from palabre.surfaces.http.errors import answer_errors_in_json
from palabre.surfaces.http.gate import COOKIE, HEADER, Gate
from palabre.testing.auth import (
    CountingSecrets,
    MemoryAccountStore,
    MemorySessionStore,
    PlainHasher,
)
from palabre.testing.clock import FrozenClock
from palabre.testing.ids import CountingIds
from palabre.testing.telemetry import RecordingTelemetry

FIRST = f"{1:064x}"
LEA = {"username": "lea", "password": "a good secret"}


class Entrance:
    def __init__(self, **rules: Any) -> None:
        self.clock, self.telemetry = FrozenClock(), RecordingTelemetry()
        self.always_secure = False
        lea = Account("Lea", Role.EDITOR, "plain:a good secret", self.clock.now())
        self.auth = AuthService(
            accounts=MemoryAccountStore(lea),
            sessions=MemorySessionStore(),
            hasher=PlainHasher(),
            secrets=CountingSecrets(),
            clock=self.clock,
            rules=AuthRules(**rules),
        )

    @asynccontextmanager
    async def client(self, url: str = "http://here") -> AsyncIterator[httpx2.AsyncClient]:
        http = FastAPI()
        answer_errors_in_json(http, CountingIds())
        routes = SessionRoutes(
            self.auth, Gate(self.auth), self.telemetry, always_secure=self.always_secure
        )
        http.include_router(routes.router())
        transport = httpx2.ASGITransport(app=http)
        async with httpx2.AsyncClient(transport=transport, base_url=url) as client:
            yield client


async def test_a_login_answers_the_whole_record_and_a_cookie_that_scripts_cannot_read() -> None:
    house = Entrance()
    async with house.client() as client:
        answer = await client.post("/api/session/login", json=LEA)
    now = house.clock.now()
    assert answer.status_code == 200
    record = answer.json()["data"]
    assert record == {
        "id": FIRST,
        "username": "Lea",
        "role": "editor",
        "createdAt": record["createdAt"],
        "expiresAt": record["expiresAt"],
    }
    assert record["createdAt"].startswith(f"{now:%Y-%m-%dT%H:%M:%S}")
    assert record["createdAt"].endswith("Z")
    assert answer.headers.get_list("set-cookie") == [
        f"kxkm_v2_session={FIRST}; HttpOnly; SameSite=Strict; Path=/; Max-Age=3600"
    ]
    assert house.telemetry.counts["logins", "editor"] == 1


@pytest.mark.parametrize(("url", "always"), [("https://here", False), ("http://here", True)])
async def test_the_cookie_is_for_https_alone_where_that_is_spoken(
    url: str, *, always: bool
) -> None:
    house = Entrance()
    house.always_secure = always
    async with house.client(url) as client:
        answer = await client.post("/api/session/login", json=LEA)
    expected = f"{COOKIE}={FIRST}; HttpOnly; Secure; SameSite=Strict; Path=/; Max-Age=3600"
    assert answer.headers["set-cookie"] == expected


async def test_the_session_is_told_as_it_was_and_logout_ends_it() -> None:
    house = Entrance()
    async with house.client() as client:
        record = (await client.post("/api/session/login", json=LEA)).json()
        assert (await client.get("/api/session")).json() == record
        out = await client.post("/api/session/logout")
        assert out.json() == {"ok": True, "data": {"loggedOut": True}}
        emptied = f"{COOKIE}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0"
        assert out.headers["set-cookie"] == emptied
        for header in ({}, {HEADER: FIRST}, {"cookie": f"{COOKIE}={FIRST}"}):
            again = await client.get("/api/session", headers=header)
            assert again.status_code == 401
            assert again.json() == {"ok": False, "error": "session_required"}


async def test_a_session_of_eight_hours_ago_is_refused() -> None:
    house = Entrance()
    async with house.client() as client:
        await client.post("/api/session/login", json=LEA)
        house.clock.advance(timedelta(hours=8).total_seconds())
        assert (await client.get("/api/session", headers={HEADER: FIRST})).status_code == 401
        assert (await client.post("/api/session/logout")).status_code == 401


@pytest.mark.parametrize(
    "proof", [{"password": "wrong"}, {}, {"token": "the owner's", "role": "admin"}]
)
async def test_a_wrong_proof_is_refused_alike_and_counted(proof: dict[str, str]) -> None:
    house = Entrance(admin_token="the owner's")  # noqa: S106
    async with house.client() as client:
        answer = await client.post("/api/session/login", json={"username": "lea", **proof})
    assert answer.status_code == 401
    assert answer.json() == {"ok": False, "error": "invalid_credentials"}
    assert "set-cookie" not in answer.headers
    assert house.telemetry.counts["logins_refused", "invalid_credentials"] == 1


async def test_the_sixth_login_of_a_minute_is_told_when_to_come_back() -> None:
    house = Entrance()
    async with house.client() as client:
        for _ in range(5):
            await client.post("/api/session/login", json={"username": "ana"})
        house.clock.advance(20.5)
        answer = await client.post("/api/session/login", json=LEA)
    assert answer.status_code == 429
    assert answer.json() == {"ok": False, "error": "rate_limited"}
    assert answer.headers["retry-after"] == "40"
    assert house.telemetry.counts["logins_refused", "rate_limited"] == 1


@pytest.mark.parametrize("guests", [True, False])
async def test_who_needs_a_session_is_told_without_one(*, guests: bool) -> None:
    async with Entrance(guests=guests).client() as client:
        answer = await client.get("/api/session/rules")
    assert answer.json() == {"ok": True, "data": {"rooms": "open", "guests": guests}}
