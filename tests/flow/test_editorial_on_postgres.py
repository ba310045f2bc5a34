"""The editorial desk and opinions, with everything in a Postgres."""

import json
from pathlib import Path

import pytest
from tests.support.databases import address_of
from tests.support.desk import caller
from tests.support.rooms import house, is_final

from palabre.core.audit.inspection import inspect


async def test_edits_opinions_and_pairs_live_in_postgres(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    url = address_of("postgres", request, tmp_path).url.render_as_string(hide_password=False)
    storage = {"database_url": url}
    async with house("Le bruit.", "Le silence.", storage=storage) as place:
        editor, lea = await caller(place), await place.enter("lea")
        made = await editor.post("/api/admin/personas", {"name": "Ada", "summary": "Tu calcules."})
        assert (await lea.until_type("persona"))["nick"] == "Ada"
        for vote in ("up", "down"):
            await lea.say("@Ada parle")
            answer = (await lea.until(lambda frame: is_final(frame, "Ada")))[-1]
            opinion = {"personaNick": "Ada", "response": "x", "messageId": answer["replyId"]}
            assert (await editor.post("/api/v2/feedback", opinion | {"vote": vote})).status == 200
        path = f"/api/admin/personas/{made.data['id']}"
        await editor.post(f"{path}/reinforce", {"summary": "Tu comptes.", "apply": True})
        assert (await editor.post(f"{path}/revert")).data["summary"] == "Tu calcules."
    async with house("Bonjour.", storage=storage) as place:
        editor = await caller(place, username="bob")
        assert (await editor.get("/api/personas")).data[-1]["name"] == "Ada"
        assert json.loads((await editor.get("/api/v2/export/dpo")).text) == {
            "prompt": "@Ada parle",
            "chosen": "Le bruit.",
            "rejected": "Le silence.",
            "persona_id": made.data["id"],
        }
        verdict = (await inspect(place.app.ledger)).verdict
        assert (verdict.entries, verdict.broken_at) == (4, None)
