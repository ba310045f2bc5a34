"""Rooms that demand a session, on real sockets."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from tests.support.rooms import Client, House, house, texts
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from palabre.core.audit.model import THE_MACHINE
from palabre.core.auth.model import Role
from palabre.surfaces.http.gate import COOKIE, HEADER

SECRET = "dix lettres"  # noqa: S105
WITHIN_S = 30


@asynccontextmanager
async def session_house(*answers: str, **given: Any) -> AsyncIterator[House]:
    """Run rooms with an account for each role, called by its name and `_1`."""
    auth = {"rooms": "session", "admin_token": "a token"}
    async with house(*answers, auth=auth, **given) as place:
        for role in Role:
            name = f"{role.value}_1"
            await place.app.accounts.add(name, role, SECRET, by=THE_MACHINE)
        yield place


async def logged_in(place: House, username: str, **proof: str) -> str:
    body = {"username": username, **(proof or {"password": SECRET})}
    async with httpx2.AsyncClient(base_url=place.http_url) as client:
        answer = await client.post("/api/session/login", json=body)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["data"]["id"])


async def entered(place: House, username: str, **options: Any) -> tuple[Client, str]:
    session_id = await logged_in(place, username)
    headers = {"cookie": f"{COOKIE}={session_id}"}
    return await place.enter(additional_headers=headers, **options), session_id


async def closing(client: Client) -> tuple[int, str]:
    """Read to the end; return code and reason."""
    async with asyncio.timeout(WITHIN_S):
        try:
            while True:
                await client.connection.recv()
        except ConnectionClosed as closed:
            assert closed.rcvd is not None
            return closed.rcvd.code, closed.rcvd.reason


async def test_the_username_is_the_nick_whatever_is_wished_for() -> None:
    async with session_house() as place:
        client, _ = await entered(place, "editor_1", nick="someone")
        assert client.nick == "editor_1"
        assert "editor_1" in client.welcome[-1]["users"]
        answer = await client.answer("/nick other")
        assert "nom de compte" in answer["text"]


async def test_without_a_session_programs_are_refused_and_pages_told_by_a_code() -> None:
    async with session_house() as place:
        for shown in ({}, {HEADER: "ab" * 32}, {"cookie": f"{COOKIE}=x"}):
            with pytest.raises(InvalidStatus) as refused:
                await connect(f"{place.url}/ws", additional_headers=shown)
            assert refused.value.response.status_code == 401
        page = Client(await connect(f"{place.url}/ws", origin=place.http_url))  # type: ignore[arg-type]
        assert await closing(page) == (4401, "session_required")
        figures = place.app.telemetry.exposition().decode()
        assert 'palabre_sockets_refused_total{kind="session_required"} 4.0' in figures


async def test_a_viewer_reads_and_is_told_why_nothing_else_is_done() -> None:
    async with session_house("Bonjour.") as place:
        viewer, _ = await entered(place, "viewer_1")
        speaker, _ = await entered(place, "operator_1")
        await viewer.so_far()
        for frame in (
            {"type": "message", "text": "je parle"},
            {"type": "command", "text": "/clear"},
            {"type": "command", "text": "/responders 3"},
            {"type": "upload", "filename": "a.txt", "data": "YQ=="},
        ):
            await viewer.send(frame)
            assert "viewer" in texts(await viewer.until_text("viewer"))[-1]
        assert "Commandes" in (await viewer.answer("/help"))["text"]
        assert not any("je parle" in each for each in texts(await speaker.so_far()))
        await speaker.say("bonjour @Batty")
        await viewer.until(
            lambda frame: frame.get("nick") == "Batty" and frame["type"] == "message"
        )
        reload = await speaker.answer("/reload")
        assert "persona:write" in reload["text"]


async def test_two_connections_of_one_person_are_one_in_the_list() -> None:
    async with session_house() as place:
        first, session_id = await entered(place, "editor_1")
        other, _ = await entered(place, "operator_1")
        second = await place.enter(additional_headers={HEADER: session_id})
        assert second.nick == "editor_1"
        assert second.welcome[-1]["users"].count("editor_1") == 1
        await second.say("salut")
        for each in (first, other, second):
            said = (await each.until_text("salut"))[-1]
            assert said["nick"] == "editor_1"
        await second.leave()
        kinds = [frame["type"] for frame in await other.so_far()]
        assert "part" not in kinds
        assert "join" not in kinds


async def test_a_guest_whose_name_looks_like_that_of_an_account_does_not_get_in_its_way() -> None:
    async with session_house() as place:
        await place.app.accounts.add("marl", Role.OPERATOR, SECRET, by=THE_MACHINE)
        guest = await logged_in(place, "mar1", token="a token")  # noqa: S106
        refused = Client(await connect(f"{place.url}/ws", additional_headers={HEADER: guest}))
        assert await closing(refused) == (4409, "name_in_use")
        holder, _ = await entered(place, "marl")
        assert holder.nick == "marl"


async def test_a_name_is_shown_as_it_was_added_however_it_was_typed() -> None:
    async with session_house() as place:
        client, _ = await entered(place, "EDITOR_1")
        assert client.nick == "editor_1"


@pytest.mark.parametrize("way", ["logout", "removed", "password", "role", "by an administrator"])
async def test_a_connection_ends_soon_after_its_session(way: str) -> None:
    """How soon is `EVERY_S`; a busy machine may take longer over everything else."""
    async with session_house() as place:
        client, session_id = await entered(place, "editor_1")
        other, _ = await entered(place, "operator_1")
        await client.so_far()
        await _end(place, way, session_id)
        ending = texts(await client.until_text("Votre session"))
        assert ending[-1] == (
            "Votre session est terminée, close par un administrateur ou expirée : entrez de nouveau."
        )
        assert await closing(client) == (4401, "session_ended")
        await other.until(lambda frame: frame["type"] == "part" and frame["nick"] == "editor_1")


async def test_nothing_is_said_by_whose_session_has_just_ended() -> None:
    async with session_house() as place:
        place.app.session_watch._every_s = 60
        client, session_id = await entered(place, "editor_1")
        other, _ = await entered(place, "operator_1")
        await _end(place, "logout", session_id)
        await client.say("encore un mot")
        assert await closing(client) == (4401, "session_ended")
        await other.until_type("part")
        assert not any("encore" in each for each in texts(await other.so_far()))


async def test_a_username_that_is_a_personas_name_stays_outside() -> None:
    async with session_house() as place:
        session_id = await logged_in(place, "batty", token="a token")  # noqa: S106
        client = Client(await connect(f"{place.url}/ws", additional_headers={HEADER: session_id}))
        assert await closing(client) == (4409, "name_of_persona")


async def test_nobody_is_given_an_account_by_the_name_of_a_persona() -> None:
    async with session_house() as place:
        admin = {HEADER: await logged_in(place, "admin_1")}
        body = {"username": "BATTY", "password": SECRET}
        async with httpx2.AsyncClient(base_url=place.http_url, headers=admin) as client:
            answer = await client.post("/api/admin/users", json=body)
        assert answer.status_code == 409
        assert answer.json()["error"] == "username_of_persona"
        assert answer.json()["details"] == {"persona": "Batty"}


async def test_a_file_over_http_wants_the_session_of_the_tickets_holder() -> None:
    async with session_house("Bien reçu.") as place:
        client, session_id = await entered(place, "editor_1")
        _, others_id = await entered(place, "operator_1")
        viewer, viewers_id = await entered(place, "viewer_1")
        await client.send({"type": "uploadTicket"})
        ticket = (await client.until_type("uploadTicket"))["ticket"]
        await viewer.send({"type": "uploadTicket"})
        viewers = (await viewer.until_type("uploadTicket"))["ticket"]
        for shown, held, status in (
            ("", ticket, 401),
            (others_id, ticket, 401),
            (viewers_id, viewers, 403),
            (session_id, ticket, 202),
        ):
            assert await _uploaded(place, shown, held) == status
        images = f"{place.http_url}/api/v2/media/images"
        async with httpx2.AsyncClient() as http:
            assert (await http.get(images)).status_code == 401
            assert (await http.get(images, headers={HEADER: viewers_id})).status_code == 200


async def test_in_open_rooms_the_name_of_an_account_is_kept_for_its_holder() -> None:
    async with house() as place:
        await place.app.accounts.add("Isa", Role.VIEWER, SECRET, by=THE_MACHINE)
        stranger = await place.enter("lsa")
        assert stranger.nick.startswith("user_")
        assert "lsa" in (await stranger.answer("/nick lsa"))["text"]
        session_id = await logged_in(place, "isa")
        isa = await place.enter("isa", additional_headers={HEADER: session_id})
        assert isa.nick == "isa"
        await isa.command("/nick other")
        await isa.until_text("other")
        old = await place.enter("ana", additional_headers={HEADER: "0" * 64})
        assert old.nick == "ana"


async def _uploaded(place: House, session_id: str, ticket: str) -> int:
    headers = {"x-upload-ticket": ticket} | ({HEADER: session_id} if session_id else {})
    async with httpx2.AsyncClient(base_url=place.http_url, headers=headers) as http:
        answer = await http.post("/api/v2/uploads", files={"file": ("a.txt", b"bonjour")})
        assert answer.json()["ok"] == (answer.status_code == 202)
        return int(answer.status_code)


async def _end(place: House, way: str, session_id: str) -> None:
    accounts = place.app.accounts
    match way:
        case "logout":
            await place.app.auth.log_out(session_id)
        case "removed":
            await accounts.remove("editor_1", by=THE_MACHINE)
        case "password":
            await accounts.change("editor_1", password="another secret", by=THE_MACHINE)  # noqa: S106
        case "role":
            await accounts.change("editor_1", role=Role.VIEWER, by=THE_MACHINE)
        case _:
            admin = await logged_in(place, "admin_1")
            headers = {HEADER: admin}
            async with httpx2.AsyncClient(base_url=place.http_url, headers=headers) as http:
                listed = (await http.get("/api/admin/sessions")).json()["data"]
                found = next(each for each in listed if each["username"] == "editor_1")
                await http.delete(f"/api/admin/sessions/{found['fingerprint']}")
