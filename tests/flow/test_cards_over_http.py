"""Character cards over HTTP, in the whole program."""

import json
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.support.desk import Caller, caller, stranger
from tests.support.rooms import House, house

from palabre.app.personas import library_for
from palabre.app.settings import Settings
from palabre.core.audit.model import EntryFilter
from palabre.core.auth.model import Role
from palabre.wire.cards.errors import MAX_FILE_BYTES

IMPORT = "/api/admin/personas/import"
CARD = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "Alice",
        "description": "Curious, and never astonished for long.",
        "first_mes": "Oh!",
        "extensions": {"elsewhere": {"kept": [1, None, "é"]}},
    },
}


def _house(folder: Path) -> AbstractAsyncContextManager[House]:
    """A house whose personas are files, as cards become."""
    return house(data_dir=folder, library=library_for(Settings(data_dir=folder)))


async def _send(who: Caller, content: bytes, path: str = IMPORT) -> httpx2.Response:
    kind = {"content-type": "application/octet-stream"}
    async with httpx2.AsyncClient(base_url=who._base_url, timeout=30) as client:
        return await client.post(path, content=content, headers={**who.headers, **kind})


def _card(**changes: Any) -> bytes:
    return json.dumps({**CARD, "data": {**CARD["data"], **changes}}).encode()


async def test_a_card_becomes_a_persona_that_speaks_at_once_and_is_in_the_book(
    tmp_path: Path,
) -> None:
    async with _house(tmp_path) as place:
        anne = await caller(place)
        answer = await _send(anne, _card())
        assert answer.status_code == 201, answer.text
        made = answer.json()["data"]
        assert made["name"] == "Alice"
        assert made["enabled"] is True
        assert "Alice" in [each.nick for each in place.app.chat.cast.personas]
        entries = await place.app.ledger.entries(EntryFilter(), 10)
        assert [(each.action, each.target) for each in entries] == [("persona.import", made["id"])]


async def test_a_taken_name_is_never_overwritten_and_the_remark_says_so(tmp_path: Path) -> None:
    async with _house(tmp_path) as place:
        anne = await caller(place)
        first, second = [(await _send(anne, _card())).json()["data"] for _ in range(2)]
        assert first["id"] != second["id"]
        assert first["name"] != second["name"]
        assert "card.remark.renamed" in [each["code"] for each in second["remarks"]]
        path = f"{IMPORT}?lang=en"
        third = (await _send(anne, _card(), path)).json()["data"]
        assert third["remarks"][0]["text"] != second["remarks"][0]["text"]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\x89PNG\r\n\x1a\n", b"PK\x03\x04", b'{"name": 5}'], ids=repr
)
async def test_what_is_no_card_is_refused_in_words_and_leaves_nothing(
    content: bytes, tmp_path: Path
) -> None:
    async with _house(tmp_path) as place:
        anne = await caller(place)
        before = len((await anne.get("/api/personas")).data)
        answer = await _send(anne, content)
        assert answer.status_code == 400
        assert answer.json()["error"] == "card"
        assert answer.json()["details"]["message"]
        assert len((await anne.get("/api/personas")).data) == before
        assert await place.app.ledger.entries(EntryFilter(), 10) == []


async def test_a_card_that_is_too_large_is_refused(tmp_path: Path) -> None:
    async with _house(tmp_path) as place:
        answer = await _send(await caller(place), b" " * (MAX_FILE_BYTES + 1))
        assert answer.status_code == 413


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
async def test_only_editors_take_cards_and_every_session_gets_them(
    role: Role, tmp_path: Path
) -> None:
    async with _house(tmp_path) as place:
        made = (await _send(await caller(place), _card())).json()["data"]
        who = await caller(place, role, "bob")
        assert (await _send(who, _card())).status_code == 403
        path = f"/api/admin/personas/{made['id']}/card"
        assert (await who.get(path)).status == 200
        assert (await stranger(place).get(path)).status == 401
        assert (await _send(stranger(place), _card())).status_code == 401


async def test_a_card_comes_back_with_what_we_do_not_know(tmp_path: Path) -> None:
    async with _house(tmp_path) as place:
        anne = await caller(place)
        made = (await _send(anne, _card())).json()["data"]
        answer = await anne.get(f"/api/admin/personas/{made['id']}/card")
        assert answer.headers["content-disposition"] == f'attachment; filename="{made["id"]}.json"'
        assert answer.body["data"]["extensions"]["elsewhere"] == {"kept": [1, None, "é"]}
        assert answer.body["spec"] == "chara_card_v3"


@pytest.mark.parametrize(
    ("form", "kind", "start"),
    [("png", "image/png", b"\x89PNG"), ("charx", "application/zip", b"PK\x03\x04")],
)
async def test_a_persona_is_given_in_the_form_that_is_asked_for(
    form: str, kind: str, start: bytes, tmp_path: Path
) -> None:
    async with _house(tmp_path) as place:
        anne = await caller(place)
        someone = (await anne.get("/api/personas")).data[0]["id"]
        url = f"/api/admin/personas/{someone}/card?form={form}"
        async with httpx2.AsyncClient(base_url=place.http_url, headers=anne.headers) as client:
            answer = await client.get(url)
        assert answer.headers["content-type"] == kind
        assert answer.content.startswith(start)
        again = await _send(anne, answer.content)
        assert again.status_code == 201


async def test_an_unknown_form_and_an_unknown_persona_are_refused(tmp_path: Path) -> None:
    async with _house(tmp_path) as place:
        anne = await caller(place)
        someone = (await anne.get("/api/personas")).data[0]["id"]
        assert (await anne.get(f"/api/admin/personas/{someone}/card?form=exe")).status == 400
        assert (await anne.get("/api/admin/personas/nobody/card")).error == "persona_not_found"


async def test_a_card_that_cannot_be_written_down_leaves_no_persona(tmp_path: Path) -> None:
    async with _house(tmp_path) as place:
        anne = await caller(place)
        await _break_the_book(place)
        answer = await _send(anne, _card())
        assert answer.status_code >= 500
        names = [each["name"] for each in (await anne.get("/api/personas")).data]
        assert "Alice" not in names


async def _break_the_book(place: House) -> None:
    async with place.app.database.writing() as connection:
        await connection.exec_driver_sql("ALTER TABLE audit RENAME TO elsewhere")
