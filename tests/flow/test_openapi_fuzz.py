"""Whatever is asked over HTTP is answered as the description says, on both databases."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.databases import KINDS, address_of
from tests.support.desk import caller
from tests.support.fuzzing import Answers, fuzz
from tests.support.programs import key_for
from tests.support.rooms import House, house

from palabre.core.auth.model import Role

ENDS_SESSIONS = "/logout$|/admin/sessions"
UPSTREAM = {502, 503}
PERSONA = "/api/admin/personas/{persona_id}"
NEEDS_CONTENT = {
    "POST /api/admin/personas/import",
    f"POST {PERSONA}/voice-sample",
    f"DELETE {PERSONA}/voice-sample",
    f"GET {PERSONA}/voice-sample.wav",
    f"DELETE {PERSONA}/proposals/{{proposal_id}}",
    "GET /api/v2/media/audio/{filename}",
    "GET /api/v2/media/images/{filename}",
    "GET /api/v2/chat/history/{date}",
    f"POST {PERSONA}/proposals/{{proposal_id}}/apply",
    "POST /api/session/login",
    "POST /api/v2/uploads",
    "DELETE /api/v2/feedback/{message_id}",
}
"""What chance does not come upon: a card, a recording, what was made or said, a ticket, a password."""


@pytest.fixture(params=KINDS)
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[House]:
    address = address_of(request.param, request, tmp_path)
    storage = {}
    if request.param == "postgres":
        storage["database_url"] = address.url.render_as_string(hide_password=False)
    proxies = {"trusted_proxies": ["127.0.0.1"]}
    data_dir = tmp_path / "data"
    async with house("Bonjour.", data_dir=data_dir, storage=storage, server=proxies) as running:
        yield running


async def asked(place: House, examples: int, **paths: str) -> Answers:
    session = (await caller(place, Role.ADMIN, "root")).headers["x-session-id"]
    auth = {"sessionHeader": {"api_key": session}}
    url = f"{place.http_url}/openapi.json"
    return await asyncio.to_thread(fuzz, url, auth, examples, **paths)


async def test_whatever_is_asked_is_answered_as_described(place: House) -> None:
    answers = await asked(place, 4, without=ENDS_SESSIONS)
    assert answers.report == ""
    assert {status for status in answers.all_statuses if status >= 500} <= UPSTREAM
    assert len(answers.statuses) > 40
    assert answers.total > 800
    assert sorted(answers.unanswered() - NEEDS_CONTENT) == []


async def test_sessions_end_as_described(place: House) -> None:
    answers = await asked(place, 4, only=ENDS_SESSIONS)
    assert answers.report == ""
    assert len(answers.statuses) == 3
    assert answers.all_statuses < set(range(500))


async def test_programs_are_answered_as_described(place: House) -> None:
    auth = {"key": {"bearer": await key_for(place)}}
    url = f"{place.http_url}/v1/openapi.json"
    answers = await asyncio.to_thread(fuzz, url, auth, 4)
    assert answers.report == ""
    assert {status for status in answers.all_statuses if status >= 500} <= UPSTREAM
    assert len(answers.statuses) == 7
