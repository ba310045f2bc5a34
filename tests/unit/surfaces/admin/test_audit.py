from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from palabre.core.audit.model import Actor
from palabre.core.auth.model import SESSION_LIFE, Role, Session
from palabre.core.auth.service import AuthRules, AuthService, fingerprint
from palabre.surfaces.admin.audit import AuditRoutes
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

ANNE, BOB = Actor("anne", "admin", "::1"), Actor("bob", "editor", "::1")


@dataclass
class Book:
    ledger: MemoryLedger
    client: httpx2.AsyncClient

    async def get(self, path: str = "", role: str = "admin", **asked: Any) -> httpx2.Response:
        url = f"/api/v2/admin/audit{path}"
        return await self.client.get(url, params=asked, headers={HEADER: role})

    async def numbers(self, **asked: Any) -> tuple[list[int], int | None]:
        data = (await self.get(**asked)).json()["data"]
        return [each["number"] for each in data["entries"]], data["next"]


@pytest.fixture
async def book() -> AsyncGenerator[Book]:
    clock = FrozenClock()
    sessions = MemorySessionStore()
    for role in Role:
        until = clock.now() + SESSION_LIFE
        await sessions.add(Session(fingerprint(role), role, role, clock.now(), until))
    auth = AuthService(
        accounts=MemoryAccountStore(),
        sessions=sessions,
        hasher=PlainHasher(),
        secrets=CountingSecrets(),
        clock=clock,
        rules=AuthRules(),
    )
    ledger = MemoryLedger(clock)
    http = FastAPI()
    answer_errors_in_json(http, CountingIds())
    http.include_router(AuditRoutes(ledger, Gate(auth)).router())
    for actor, action, target in (
        (ANNE, "persona.update", "batty"),
        (BOB, "persona.update", "pina"),
        (ANNE, "account.add", "bob"),
    ):
        async with ledger.recording(actor, action, target) as change:
            change.after = {"name": target}
    transport = httpx2.ASGITransport(app=http)
    async with httpx2.AsyncClient(transport=transport, base_url="http://x") as client:
        yield Book(ledger, client)


async def test_changes_come_newest_first_and_whole(book: Book) -> None:
    answer = await book.get()
    assert answer.status_code == 200
    data = answer.json()["data"]
    assert [each["number"] for each in data["entries"]] == [3, 2, 1]
    assert data["entries"][1] == {
        "number": 2,
        "at": "2026-03-20T10:00:00.000Z",
        "actor": "bob",
        "role": "editor",
        "address": "::1",
        "action": "persona.update",
        "target": "pina",
        "before": {},
        "after": {"name": "pina"},
        "hash": book.ledger.book[1].hash,
        "previousHash": book.ledger.book[0].hash,
    }


async def test_pages_follow_each_other_until_the_first_change(book: Book) -> None:
    assert await book.numbers(limit=2) == ([3, 2], 2)
    assert await book.numbers(limit=2, before=2) == ([1], None)
    assert await book.numbers(limit=3) == ([3, 2, 1], None)


async def test_changes_are_found_by_action_actor_and_target(book: Book) -> None:
    assert await book.numbers(action="persona.update") == ([2, 1], None)
    assert await book.numbers(actor="anne") == ([3, 1], None)
    assert await book.numbers(actor="anne", target="bob") == ([3], None)
    assert await book.numbers(actor="carl") == ([], None)


@pytest.mark.parametrize(
    "asked", [{"limit": 0}, {"limit": 201}, {"limit": "x"}, {"before": 0}, {"actor": "a" * 501}]
)
async def test_wishes_beyond_the_limits_are_refused(book: Book, asked: dict[str, Any]) -> None:
    answer = await book.get(**asked)
    assert (answer.status_code, answer.json()["error"]) == (400, "validation_error")


@pytest.mark.parametrize("path", ["", "/verify"])
async def test_only_administrators_read_it(book: Book, path: str) -> None:
    assert (await book.get(path, "nobody")).status_code == 401
    for role in Role:
        wanted = 200 if role is Role.ADMIN else 403
        assert (await book.get(path, role)).status_code == wanted


async def test_the_book_is_examined(book: Book) -> None:
    newest = book.ledger.book[-1].hash
    assert (await book.get("/verify")).json()["data"] == {
        "whole": True,
        "entries": 3,
        "lastHash": newest,
        "brokenAt": None,
        "hasExpectedHash": None,
    }
    told = (await book.get("/verify", expect_hash=newest)).json()["data"]
    assert told["hasExpectedHash"] is True
    del book.ledger.book[1]
    found = (await book.get("/verify")).json()["data"]
    assert (found["whole"], found["brokenAt"]) == (False, 2)


async def test_a_tail_that_was_cut_off_is_missed(book: Book) -> None:
    newest = book.ledger.book.pop().hash
    assert (await book.get("/verify")).json()["data"]["whole"]
    found = (await book.get("/verify", expect_hash=newest)).json()["data"]
    assert (found["whole"], found["hasExpectedHash"], found["brokenAt"]) == (False, False, None)
    assert (await book.get("/verify", expect_hash="zz")).status_code == 400
