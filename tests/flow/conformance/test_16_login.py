"""Seed 000 §15 and §16: come in, be known, go out; and what a login may hold."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any

import httpx2
import pytest
from tests.support.rooms import House, house

from palabre.core.audit.model import THE_MACHINE
from palabre.core.auth.model import Role
from palabre.surfaces.http.gate import COOKIE, HEADER
from palabre.testing.clock import FrozenClock

LOGIN, SESSION, LOGOUT = "/api/session/login", "/api/session", "/api/session/logout"
SECRET, TOKEN = "dix lettres", "the owner's token"
EIGHT_HOURS = timedelta(hours=8)


@asynccontextmanager
async def entrance(**given: Any) -> AsyncIterator[tuple[House, httpx2.AsyncClient]]:
    async with house(personas=(), auth={"admin_token": TOKEN}, **given) as place:
        await place.app.accounts.add("lea", Role.EDITOR, SECRET, by=THE_MACHINE)
        async with httpx2.AsyncClient(base_url=place.http_url) as client:
            yield place, client


async def status(client: httpx2.AsyncClient, **body: Any) -> int:
    return int((await client.post(LOGIN, json=body)).status_code)


async def test_login_session_and_logout_are_one_story() -> None:
    """§15 — POST /api/session/login Login
    §15 — GET /api/session Session courante
    §15 — POST /api/session/logout Deconnexion
    """
    async with entrance() as (_, client):
        assert (await client.get(SESSION)).status_code == 401
        came = await client.post(LOGIN, json={"username": "lea", "password": SECRET})
        assert came.headers["set-cookie"].startswith(f"{COOKIE}={came.json()['data']['id']}; ")
        assert (await client.get(SESSION)).json() == came.json()
        assert (await client.post(LOGOUT)).json()["data"] == {"loggedOut": True}
        assert (await client.get(SESSION)).status_code == 401
        assert (await client.post(LOGOUT)).status_code == 401


async def test_a_session_has_an_unguessable_id_and_lasts_an_hour() -> None:
    """§15 — Session requise"""
    async with entrance() as (_, client):
        ids = set()
        for name in ("ana", "bob"):
            record = (await client.post(LOGIN, json={"username": name})).json()["data"]
            assert len(bytes.fromhex(record["id"])) == 32
            ids.add(record["id"])
            begin, end = (datetime.fromisoformat(record[key]) for key in ("createdAt", "expiresAt"))
            assert end - begin == timedelta(hours=1)
        assert len(ids) == 2


@pytest.mark.parametrize("way", ["old", "revoked", "forged", "guessed", "empty"])
async def test_what_is_no_session_any_more_or_never_was_is_refused(way: str) -> None:
    """§15 — Session requise"""
    clock = FrozenClock()
    async with entrance(clock=clock) as (place, client):
        record = (await client.post(LOGIN, json={"username": "lea", "password": SECRET})).json()
        session_id = record["data"]["id"]
        client.cookies.clear()
        match way:
            case "old":
                clock.advance(EIGHT_HOURS.total_seconds())
            case "revoked":
                await place.app.accounts.end_sessions_of("lea", by=THE_MACHINE)
            case "forged":
                session_id = session_id[:-1] + ("0" if session_id[-1] != "0" else "1")
            case "guessed":
                session_id = "session_1700000000000_deadbeef"
            case "empty":
                session_id = ""
        for headers in ({HEADER: session_id}, {"cookie": f"{COOKIE}={session_id}"}):
            for method, path in (("GET", SESSION), ("POST", LOGOUT), ("GET", "/api/admin/users")):
                answer = await client.request(method, path, headers=headers)
                assert (answer.status_code, answer.json()["error"]) == (401, "session_required")


async def test_a_username_has_1_to_40_letters_digits_and_underscores() -> None:
    """§16 — loginSchema POST /api/session/login username (1-40, alphanum)"""
    async with entrance(clock=FrozenClock()) as (_, client):
        for name in ("a", "A_9", "x" * 40):
            assert await status(client, username=name) == 200
        for name in ("", "x" * 41, "léa", "a b", "a-b", "a\n", "٣", "<b>", None, 5, ["a"]):
            assert await status(client, username=name) == 400, name


async def test_a_role_is_one_of_the_four() -> None:
    """§16 — loginSchema role? (enum)"""
    async with entrance(clock=FrozenClock()) as (_, client):
        for role in ("owner", "Admin", "", 5, ["admin"]):
            assert await status(client, username="ana", role=role) == 400, role
        for role in ("viewer", "operator", "editor", "admin"):
            answer = await client.post(
                LOGIN, json={"username": "ana", "role": role, "token": TOKEN}
            )
            assert answer.json()["data"]["role"] == role


async def test_a_token_and_a_password_have_256_characters_at_most() -> None:
    """§16 — loginSchema token? (max 256), password? (max 256)"""
    async with entrance(clock=FrozenClock()) as (_, client):
        for key in ("token", "password"):
            assert await status(client, username="ana", **{key: "x" * 257}) == 400, key
            assert await status(client, username="ana", **{key: 5}) == 400, key
            assert await status(client, username="ana", **{key: "x" * 256}) == 401, key


async def test_what_is_wrong_is_named_and_not_repeated() -> None:
    """§16 — Retourne 400 {ok: false, error: "validation_error", details} si invalide"""
    async with entrance() as (_, client):
        body = {"username": "not a name", "role": "owner", "password": "secret" * 50}
        answer = await client.post(LOGIN, json=body)
        told = answer.json()
        assert (answer.status_code, told["ok"], told["error"]) == (400, False, "validation_error")
        issues = {each["path"][0]: each["code"] for each in told["details"]}
        assert issues == {
            "username": "invalid_string",
            "role": "invalid_enum_value",
            "password": "too_big",
        }
        assert all(each["message"] for each in told["details"])
        assert "not a name" not in answer.text
        assert "secret" not in answer.text


async def test_more_than_the_schema_knows_is_not_looked_at() -> None:
    """§16 — Remplace req.body par les donnees validees"""
    async with entrance() as (_, client):
        assert await status(client, username="ana", isAdmin=True, ok=[1]) == 200


async def test_five_logins_a_minute_then_429_right_or_wrong() -> None:
    """§5.3 — LOGIN_RATE_LIMIT 5 tentatives
    §5.3 — Reponse si limite HTTP 429 { ok: false, error: "rate_limited" }
    §14 — 5 req/min login
    """
    clock = FrozenClock()
    async with entrance(clock=clock) as (_, client):
        statuses = [await status(client, username="lea", password=SECRET) for _ in range(3)]
        statuses += [await status(client, username="lea", password="wrong") for _ in range(2)]  # noqa: S106
        assert statuses == [200, 200, 200, 401, 401]
        answer = await client.post(LOGIN, json={"username": "lea", "password": SECRET})
        assert (answer.status_code, answer.json()) == (429, {"ok": False, "error": "rate_limited"})
        assert answer.headers["retry-after"] == "60"
        clock.advance(60)
        assert await status(client, username="lea", password=SECRET) == 200


async def test_only_the_token_gives_another_role_than_viewer() -> None:
    """§15 — timing-safe token, role assignment"""
    async with entrance(clock=FrozenClock()) as (_, client):
        guest = await client.post(LOGIN, json={"username": "ana", "role": "admin"})
        assert guest.json()["data"]["role"] == "viewer"
        assert await status(client, username="ana", role="admin", token="wrong") == 401  # noqa: S106
        given = await client.post(LOGIN, json={"username": "ana", "role": "admin", "token": TOKEN})
        assert given.json()["data"]["role"] == "admin"
