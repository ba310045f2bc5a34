"""The persona routes of seed 000 §15 and the schemas of §16, at their limits."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
from tests.support.desk import Caller, caller
from tests.support.rooms import House, house, is_final

from palabre.core.auth.model import Role

ADMIN = "/api/admin/personas"
BATTY = f"{ADMIN}/batty"

ROUTES = [
    ("GET", "/api/personas", None, ""),
    ("GET", "/api/personas/batty", None, ""),
    ("POST", ADMIN, {"name": "Ada"}, "persona:write"),
    ("PUT", BATTY, {"summary": "x"}, "persona:write"),
    ("POST", f"{BATTY}/toggle", {}, "persona:write"),
    ("GET", f"{BATTY}/source", None, "persona:read"),
    ("PUT", f"{BATTY}/source", {}, "persona:write"),
    ("GET", f"{BATTY}/feedback", None, "persona:read"),
    ("GET", f"{BATTY}/proposals", None, "persona:read"),
    ("POST", f"{BATTY}/reinforce", {"summary": "x"}, "persona:write"),
    ("POST", f"{BATTY}/revert", None, "persona:write"),
    ("POST", f"{BATTY}/voice-sample", {"audio": "x"}, "persona:write"),
    ("DELETE", f"{BATTY}/voice-sample", None, "persona:write"),
    ("GET", f"{BATTY}/voice-sample", None, "persona:read"),
    ("GET", "/api/v2/export/dpo", None, "persona:read"),
]


@dataclass
class Desk:
    place: House
    editor: Caller


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with house("Bonjour.") as place:
        yield Desk(place, await caller(place))


async def test_personas_have_the_shape_that_clients_know(desk: Desk) -> None:
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


async def test_two_thumbs_on_two_answers_to_one_prompt_are_one_pair(desk: Desk) -> None:
    desk.place.provider.script("Le bruit.", "<think>hm</think>Le silence.")
    lea = await desk.place.enter("lea")
    answers = []
    for _ in range(2):
        await lea.say("@Batty  qu'est-ce que le son ?")
        answers.append((await lea.until(lambda frame: is_final(frame, "Batty")))[-1])
    for answer, vote in zip(answers, ("up", "down"), strict=True):
        body = {
            "personaNick": "Schaeffer",
            "response": "ce que le client prétend",
            "messageId": answer["replyId"],
            "vote": vote,
        }
        saved = await desk.editor.post("/api/v2/feedback", body)
        assert saved.data == {
            "saved": True,
            "id": saved.data["id"],
            "personaId": "batty",
            "kind": "vote",
        }
    exported = await desk.editor.get("/api/v2/export/dpo?persona_id=batty")
    assert exported.headers["content-type"] == "application/x-ndjson"
    assert exported.headers["content-disposition"].startswith('attachment; filename="dpo-pairs-20')
    assert [json.loads(line) for line in exported.text.splitlines()] == [
        {
            "prompt": "@Batty  qu'est-ce que le son ?",
            "chosen": "Le bruit.",
            "rejected": "Le silence.",
            "persona_id": "batty",
        }
    ]
