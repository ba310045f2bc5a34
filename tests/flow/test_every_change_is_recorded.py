"""Whatever is changed over HTTP by administrators and editors is in the book of changes.

`STEPS` has a row for each route that changes something: who adds a route adds a row.
"""

import base64
import hashlib
import io
import json
import wave
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi.routing import iter_route_contexts
from tests.support.desk import Caller, caller
from tests.support.rooms import House, house

from palabre.app.http import create_http
from palabre.app.personas import library_for
from palabre.app.settings import Settings
from palabre.core.audit.inspection import inspect
from palabre.core.audit.model import Entry, EntryFilter
from palabre.core.auth.model import Role

BELOW = ("/api/admin/", "/api/v2/admin/")
SAFE = {"GET", "HEAD", "OPTIONS"}
PERSONAS, USERS = "/api/admin/personas", "/api/admin/users"
ONE = f"{PERSONAS}/{{persona_id}}"
PROPOSAL = f"{ONE}/proposals/{{proposal_id}}"
WORDS = "dix lettres au moins"


@dataclass(frozen=True)
class Step:
    """A request that changes something, and what the book then says.

    Attributes:
        body: What is sent, as JSON, or bytes as they are.
        action: Of the entry; empty where nothing may be changed.
    """

    method: str
    path: str
    body: Any
    action: str

    @property
    def route(self) -> tuple[str, str]:
        return self.method, self.path


def recording() -> str:
    content = io.BytesIO()
    with wave.open(content, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16_000)
        sound.writeframes(bytes(32_000))
    return base64.b64encode(content.getvalue()).decode()


CARD = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {"name": "Alice", "description": "Curious.", "first_mes": "Oh!"},
}
STEPS = [
    Step("POST", USERS, {"username": "lea", "password": WORDS}, "user.add"),
    Step("PUT", f"{USERS}/{{username}}", {"role": "editor"}, "user.update"),
    Step("DELETE", "/api/admin/sessions/{fingerprint}", None, "session.end"),
    Step("DELETE", f"{USERS}/{{username}}", None, "user.remove"),
    Step("POST", PERSONAS, {"name": "Moulin", "summary": "Tourne."}, "persona.create"),
    Step("PUT", ONE, {"summary": "Tourne encore."}, "persona.update"),
    Step("POST", f"{ONE}/toggle", {"enabled": False}, "persona.toggle"),
    Step("POST", f"{ONE}/toggle", {"enabled": True}, "persona.toggle"),
    Step("PUT", f"{ONE}/source", {"subjectName": "Un moulin"}, "persona.source"),
    Step("POST", f"{ONE}/reinforce", {"summary": "Grince."}, "persona.propose"),
    Step("POST", f"{PROPOSAL}/apply", None, "persona.apply"),
    Step("POST", f"{ONE}/revert", None, "persona.revert"),
    Step("POST", f"{ONE}/reinforce", {"summary": "Ronfle."}, "persona.propose"),
    Step("DELETE", PROPOSAL, None, "persona.dismiss"),
    Step("POST", f"{PERSONAS}/suggest", None, ""),
    Step("POST", f"{ONE}/voice-sample", {"audio": recording()}, "persona.voice_sample"),
    Step("DELETE", f"{ONE}/voice-sample", None, "persona.voice_sample_removed"),
    Step("DELETE", ONE, None, "persona.delete"),
    Step("POST", f"{PERSONAS}/import", json.dumps(CARD).encode(), "persona.import"),
    Step("POST", "/api/v2/admin/retention-sweep", {"maxAgeDays": 30}, "retention.sweep"),
]


async def test_each_change_over_http_leaves_its_entry(tmp_path: Path) -> None:
    library = library_for(Settings(data_dir=tmp_path))
    async with house(data_dir=tmp_path, library=library) as place:
        anne = await caller(place, Role.ADMIN)
        await caller(place, Role.VIEWER, "guest")
        known: dict[str, str] = {
            "username": "lea",
            "fingerprint": _fingerprint("guest", Role.VIEWER),
        }
        for step in STEPS:
            before = await _newest(place)
            answer = await _ask(anne, step, known)
            assert answer.status_code < 300, f"{step.route}: {answer.text}"
            await _learn(anne, step, answer, known)
            added = await _added(place, before)
            assert [each.action for each in added] == [step.action] * bool(step.action), step.route
            for entry in added:
                _check(entry, known)
        assert (await inspect(place.app.ledger)).is_whole


async def test_each_route_that_changes_something_has_its_row(tmp_path: Path) -> None:
    async with house() as place:
        routes = {
            (method, str(route.path))
            for route in iter_route_contexts(create_http(place.app).routes)
            for method in set(getattr(route, "methods", None) or ()) - SAFE
            if str(route.path).startswith(BELOW)
        }
    assert routes == {step.route for step in STEPS}


@pytest.mark.parametrize("step", STEPS, ids=lambda step: f"{step.method} {step.path}")
async def test_a_change_that_is_refused_leaves_nothing(tmp_path: Path, step: Step) -> None:
    async with house() as place:
        viewer = await caller(place, Role.VIEWER)
        known = {
            name: "0" * 64 for name in ("username", "fingerprint", "persona_id", "proposal_id")
        }
        assert (await _ask(viewer, step, known)).status_code == 403
        assert await _newest(place) == 0


async def _ask(who: Caller, step: Step, known: dict[str, str]) -> httpx2.Response:
    is_json = not isinstance(step.body, bytes)
    kind = "application/json" if is_json else "application/octet-stream"
    sent: dict[str, Any] = {}
    if step.body is not None:
        sent = {"content": json.dumps(step.body) if is_json else step.body}
        sent["headers"] = {"content-type": kind}
    async with httpx2.AsyncClient(base_url=who._base_url, timeout=30, headers=who.headers) as http:
        return await http.request(step.method, step.path.format(**known), **sent)


async def _learn(who: Caller, step: Step, answer: httpx2.Response, known: dict[str, str]) -> None:
    """Take in the ids that later steps need."""
    if step.route == ("POST", PERSONAS):
        known["persona_id"] = answer.json()["data"]["id"]
    if step.path.endswith("/reinforce"):
        proposals = (await who.get(f"{ONE}/proposals".format(**known))).data
        known["proposal_id"] = proposals[0]["id"]


async def _newest(place: House) -> int:
    newest = await place.app.ledger.entries(EntryFilter(), 1)
    return newest[0].number if newest else 0


async def _added(place: House, after: int) -> list[Entry]:
    newest = await place.app.ledger.entries(EntryFilter(), 20)
    return [each for each in newest if each.number > after]


def _check(entry: Entry, known: dict[str, str]) -> None:
    assert (entry.actor.name, entry.actor.role, entry.actor.address) == (
        "anne",
        "admin",
        "127.0.0.1",
    )
    assert entry.target
    assert entry.before != entry.after or entry.action == "session.end"
    for secret in (WORDS, "argon2", recording()[:40]):
        assert secret not in entry.before + entry.after


def _fingerprint(username: str, role: Role) -> str:
    session_id = hashlib.sha256(f"{username} {role}".encode()).hexdigest()
    return hashlib.sha256(session_id.encode()).hexdigest()
