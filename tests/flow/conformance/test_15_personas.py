"""The persona routes of seed 000 §15 and the schemas of §16, at their limits."""

import base64
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
from tests.support.desk import Caller, caller, stranger
from tests.support.rooms import House, house, is_final

from palabre.core.auth.model import Role
from palabre.testing.speech import silence

ADMIN = "/api/admin/personas"
BATTY = f"{ADMIN}/batty"

READ, WRITE, ANY = "read", "write", "any"
ROUTES = [
    ("GET", "/api/personas", None, ANY),
    ("GET", "/api/personas/batty", None, ANY),
    ("POST", ADMIN, {"name": "Ada"}, WRITE),
    ("PUT", BATTY, {"summary": "x"}, WRITE),
    ("POST", f"{BATTY}/toggle", {}, WRITE),
    ("GET", f"{BATTY}/source", None, READ),
    ("PUT", f"{BATTY}/source", {}, WRITE),
    ("GET", f"{BATTY}/feedback", None, READ),
    ("GET", f"{BATTY}/proposals", None, READ),
    ("POST", f"{BATTY}/reinforce", {"summary": "x"}, WRITE),
    ("POST", f"{BATTY}/revert", None, WRITE),
    ("POST", f"{BATTY}/voice-sample", {"audio": base64.b64encode(silence()).decode()}, WRITE),
    ("GET", f"{BATTY}/voice-sample", None, READ),
    ("DELETE", f"{BATTY}/voice-sample", None, WRITE),
    ("GET", "/api/v2/export/dpo", None, READ),
    ("POST", f"{ADMIN}/suggest", None, WRITE),
]
WRITERS = {Role.EDITOR, Role.ADMIN}


@dataclass
class Desk:
    place: House
    editor: Caller


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with house("Bonjour.") as place:
        yield Desk(place, await caller(place))


async def test_personas_have_the_shape_that_clients_know(desk: Desk) -> None:
    """§15 — Liste personas"""
    viewer = await caller(desk.place, Role.VIEWER, "lea")
    listed = (await viewer.get("/api/personas")).data
    assert [each["id"] for each in listed] == ["schaeffer", "batty", "pharmacius"]
    assert {key: listed[1][key] for key in ("name", "model", "summary", "editable", "enabled")} == {
        "name": "Batty",
        "model": "qwen3:8b",
        "summary": "Persona Batty",
        "editable": True,
        "enabled": True,
    }
    assert (await viewer.get("/api/personas/batty")).data["id"] == "batty"


async def test_a_created_persona_speaks_at_once_as_its_summary_says(desk: Desk) -> None:
    """§15 — Creer persona"""
    lea = await desk.place.enter("lea")
    made = await desk.editor.post(ADMIN, {"name": "Ada Lovelace", "summary": "Tu calcules."})
    assert made.status == 201
    assert made.data["id"].startswith("persona_")
    assert (made.data["name"], made.data["model"]) == ("Ada Lovelace", "qwen3:8b")
    introduced = await lea.until_type("persona")
    assert introduced["nick"] == "Ada_Lovelace"
    await lea.until(lambda frame: "Ada_Lovelace" in frame.get("users", ()))
    await lea.say("@Ada_Lovelace bonjour")
    await lea.until(lambda frame: is_final(frame, "Ada_Lovelace"))
    assert (
        desk.place.provider.requests[-1]
        .messages[0]
        .content.startswith("Tu es Ada Lovelace. Tu calcules.")
    )


@pytest.mark.parametrize("role", list(Role))
async def test_each_route_is_for_the_roles_of_the_matrix(desk: Desk, role: Role) -> None:
    """
    §15 — GET /api/personas Liste personas
    §15 — GET /api/personas/:id Detail persona
    §15 — GET /api/v2/export/dpo persona:read
    §15 — POST /api/admin/personas persona:write
    §15 — PUT /api/admin/personas/:id persona:write
    §15 — POST /api/admin/personas/:id/toggle persona:write
    §15 — GET /api/admin/personas/:id/source persona:read
    §15 — PUT /api/admin/personas/:id/source persona:write
    §15 — GET /api/admin/personas/:id/feedback persona:read
    §15 — GET /api/admin/personas/:id/proposals persona:read
    §15 — POST /api/admin/personas/:id/reinforce persona:write
    §15 — POST /api/admin/personas/:id/revert persona:write
    §15 — POST /api/admin/personas/:id/voice-sample persona:write
    §15 — DELETE /api/admin/personas/:id/voice-sample persona:write
    §15 — GET /api/admin/personas/:id/voice-sample persona:read
    """
    someone, nobody = await caller(desk.place, role, "someone"), stranger(desk.place)
    for method, path, body, demand in ROUTES:
        allowed = demand != WRITE or role in WRITERS
        answered = await someone.ask(method, path, body)
        if allowed:
            assert answered.status in {200, 201}, (path, answered.body)
        else:
            assert (answered.status, answered.error) == (403, "permission_denied"), path
        turned_away = await nobody.ask(method, path, body)
        assert (turned_away.status, turned_away.error) == (401, "session_required"), path


async def test_nobody_who_is_not_there_is_shown_or_changed(desk: Desk) -> None:
    """§15 — Detail persona"""
    for method, path, body, _ in ROUTES:
        if "batty" in path:
            answered = await desk.editor.ask(method, path.replace("batty", "nobody"), body)
            assert (answered.status, answered.error) == (404, "persona_not_found"), path
    answered = await desk.editor.get("/api/v2/export/dpo?persona_id=nobody")
    assert (answered.status, answered.error) == (404, "persona_not_found")


WORDING = [
    ({"name": ""}, "name"),
    ({"name": "a" * 51}, "name"),
    ({"name": None}, "name"),
    ({"name": 3}, "name"),
    ({"model": ""}, "model"),
    ({"model": "m" * 101}, "model"),
    ({"summary": "s" * 2001}, "summary"),
    ({"summary": None}, "summary"),
]
TRAITS = [
    *WORDING,
    ({"enabled": "true"}, "enabled"),
    ({"enabled": 1}, "enabled"),
    ({"color": "red"}, "color"),
    ({"maxTokens": -1}, "maxTokens"),
    ({"maxTokens": 32_769}, "maxTokens"),
    ({"voice": "a\nb"}, "voice"),
    ({"prompt": "p" * 8001}, "prompt"),
]
SOURCE = [
    ({"subjectName": "s" * 201}, "subjectName"),
    ({"summary": "s" * 5001}, "summary"),
    ({"references": ["r"] * 101}, "references"),
    ({"references": ["r" * 501]}, "references"),
    ({"references": "r"}, "references"),
]
OPINION = {"personaNick": "Batty", "response": "r", "vote": "up"}
OPINIONS = [
    ({"personaNick": "n" * 101}, "personaNick"),
    ({"response": ""}, "response"),
    ({"response": "r" * 32_001}, "response"),
    ({"prompt": "p" * 16_001}, "prompt"),
    ({"vote": "meh"}, "vote"),
    ({"vote": None}, ""),
    ({"signal": "pin"}, ""),
    ({"vote": None, "signal": "up"}, "signal"),
    ({"vote": "react"}, ""),
    ({"vote": "react", "reaction": "r" * 33}, "reaction"),
]


async def test_each_value_that_no_schema_takes_is_named(desk: Desk) -> None:
    """
    §16 — createPersonaSchema
    §16 — updatePersonaSchema
    §16 — togglePersonaSchema
    §16 — updatePersonaSourceSchema
    §16 — reinforcePersonaSchema
    §16 — voiceSampleSchema
    """
    refused: list[tuple[str, str, dict[str, Any], str]] = [
        *(("POST", ADMIN, {"name": "Ada"} | wrong, name) for wrong, name in TRAITS),
        ("POST", ADMIN, {}, "name"),
        *(("PUT", BATTY, wrong, name) for wrong, name in TRAITS),
        ("POST", f"{BATTY}/toggle", {"enabled": "no"}, "enabled"),
        *(("PUT", f"{BATTY}/source", wrong, name) for wrong, name in SOURCE),
        *(("POST", f"{BATTY}/reinforce", wrong, name) for wrong, name in WORDING),
        ("POST", f"{BATTY}/reinforce", {"apply": "yes"}, "apply"),
        ("POST", f"{BATTY}/voice-sample", {"audio": ""}, "audio"),
        ("POST", f"{BATTY}/voice-sample", {}, "audio"),
        *(("POST", "/api/v2/feedback", OPINION | wrong, name) for wrong, name in OPINIONS),
    ]
    for method, path, body, name in refused:
        answered = await desk.editor.ask(method, path, body)
        assert (answered.status, answered.error) == (400, "validation_error"), (path, body)
        assert name in [*answered.body["details"][0]["path"], ""], (path, name, answered.body)
    listed = (await desk.editor.get("/api/personas")).data
    assert [each["edited"] for each in listed] == [False] * 3


async def test_each_value_at_its_limit_is_taken(desk: Desk) -> None:
    """
    §17 — Persona names: max 50 chars
    §17 — Summaries: max 2000-5000 chars selon contexte
    §17 — References arrays: max 100 items, each max 500 chars
    §16 — createPersonaSchema
    §16 — updatePersonaSchema
    §16 — togglePersonaSchema
    §16 — updatePersonaSourceSchema
    §16 — reinforcePersonaSchema
    §16 — voiceSampleSchema
    """
    traits = {"name": "A" * 50, "model": "m" * 100, "summary": "é" * 2000, "enabled": False}
    added = {"prompt": "p" * 8000, "color": "#ABCDEF", "voice": "v" * 200, "maxTokens": 32_768}
    made = (await desk.editor.post(ADMIN, traits | added | {"unknown": 1})).data
    assert {key: made[key] for key in traits} == traits
    assert {key: made[key] for key in ("color", "voice", "maxTokens")} == {
        "color": "#ABCDEF",
        "voice": "v" * 200,
        "maxTokens": 32_768,
    }
    changed = (await desk.editor.put(f"{ADMIN}/{made['id']}", {"name": "b", "model": "m"})).data
    assert (changed["name"], changed["model"], changed["summary"]) == ("b", "m", "é" * 2000)
    source = {
        "subjectName": "s" * 200,
        "summary": "s" * 5000,
        "references": ["r" * 500] * 100,
    }
    assert (await desk.editor.put(f"{BATTY}/source", source)).data == {
        "personaId": "batty",
        **source,
    }
    assert (await desk.editor.put(f"{BATTY}/source", {"references": []})).data == {
        "personaId": "batty",
        **source,
        "references": [],
    }
    longest = {"response": "r" * 32_000, "prompt": "p" * 16_000, "reaction": "r" * 32}
    saved = await desk.editor.post("/api/v2/feedback", OPINION | longest | {"vote": "react"})
    assert saved.data["kind"] == "chat_signal"


async def test_a_source_is_made_up_until_it_is_written(desk: Desk) -> None:
    """§15 — Source editoriale"""
    assert (await desk.editor.get(f"{BATTY}/source")).data == {
        "personaId": "batty",
        "subjectName": "Batty",
        "summary": "",
        "references": [],
    }


async def test_a_name_that_looks_like_another_is_refused(desk: Desk) -> None:
    """Decision — a persona has no name that looks like another"""
    for name in ("BATTY", "Schaeffer"):
        answered = await desk.editor.post(ADMIN, {"name": name})
        assert (answered.status, answered.error) == (409, "persona_name_taken")
    answered = await desk.editor.put(BATTY, {"name": "<script>"})
    assert (answered.status, answered.error) == (400, "invalid_persona_name")


async def test_a_person_makes_way_for_a_persona_of_their_name(desk: Desk) -> None:
    """Decision — a person makes way for a persona of their name"""
    lea = await desk.place.enter("Ada")
    await desk.editor.post(ADMIN, {"name": "Ada"})
    renamed = await lea.until_text("est maintenant connu(e) comme")
    assert renamed[-1]["text"].startswith("Ada est maintenant")


async def test_what_an_editor_made_leaves_the_rooms_when_it_is_deleted(desk: Desk) -> None:
    """Decision — a persona that an editor made can be deleted"""
    lea = await desk.place.enter("lea")
    made = (await desk.editor.post(ADMIN, {"name": "Ada"})).data
    await lea.until(lambda frame: "Ada" in frame.get("users", ()))
    viewer = await caller(desk.place, Role.VIEWER, "eve")
    assert (await viewer.delete(f"{ADMIN}/{made['id']}")).status == 403
    assert (await desk.editor.delete(f"{ADMIN}/{made['id']}")).data == {"deleted": True}
    await lea.until(lambda frame: "Ada" not in frame.get("users", ["Ada"]))
    assert (await desk.editor.get(f"/api/personas/{made['id']}")).status == 404
    refused = await desk.editor.delete(BATTY)
    assert (refused.status, refused.error) == (409, "persona_of_file")


async def test_who_is_switched_off_leaves_the_rooms_at_once_and_comes_back(desk: Desk) -> None:
    """§15 — Activer/desactiver"""
    lea = await desk.place.enter("lea")
    off = await desk.editor.post(f"{BATTY}/toggle")
    assert off.data["enabled"] is False
    gone = await lea.until(lambda frame: "Batty" not in frame.get("users", ["Batty"]))
    assert gone[-1]["type"] == "userlist"
    await lea.say("@Batty tu es là ?")
    said = await lea.until(lambda frame: frame["type"] == "message" and frame["nick"] != "lea")
    assert said[-1]["nick"] == "Pharmacius"
    listed = (await desk.editor.get("/api/personas")).data
    assert [each["enabled"] for each in listed] == [True, False, True]
    await desk.editor.post(f"{BATTY}/toggle", {"enabled": True})
    await lea.until(lambda frame: "Batty" in frame.get("users", ()))


async def test_a_new_name_model_and_summary_are_what_the_rooms_hear(desk: Desk) -> None:
    """§15 — Modifier persona"""
    lea = await desk.place.enter("lea")
    await desk.editor.put(BATTY, {"name": "Roy", "summary": "Parle de la pluie."})
    introduced = await lea.until_type("persona")
    assert introduced["nick"] == "Roy"
    await lea.say("@Roy parle")
    await lea.until(lambda frame: is_final(frame, "Roy"))
    system = desk.place.provider.requests[-1].messages[0].content
    assert system == "Tu es Batty.\n\nDirection de la rédaction : Parle de la pluie."
    await desk.editor.put(BATTY, {"summary": ""})
    await lea.say("@Roy encore")
    await lea.until(lambda frame: is_final(frame, "Roy"))
    assert desk.place.provider.requests[-1].messages[0].content == "Tu es Batty."
    await lea.command("/reload")
    assert "Roy" in (await lea.until_text("Personas rechargees"))[-1]["text"]


async def test_edits_are_in_the_book_and_in_the_feedback(desk: Desk) -> None:
    """§14 — Toute mutation admin doit etre auditable"""
    await desk.editor.put(BATTY, {"model": "mistral:7b"})
    noted = (await desk.editor.get(f"{BATTY}/feedback")).data
    assert [(each["kind"], each["message"]) for each in noted] == [
        ("admin_edit", "Persona modifiée par anne")
    ]
    admin = await caller(desk.place, Role.ADMIN, "boss")
    book = (await admin.get("/api/v2/admin/audit?target=batty")).data["entries"]
    assert [(each["action"], each["actor"]) for each in book] == [("persona.update", "anne")]
