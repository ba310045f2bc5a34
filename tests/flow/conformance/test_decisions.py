"""Where the seed is silent or contradicts itself: what was decided (docs/protocol)."""

import asyncio
import base64
import json

import pytest
from tests.support.rooms import house, is_final, is_own_list, texts
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from palabre.testing.messages import MemoryMessageStore

# --- names ------------------------------------------------------------------------------------


async def test_a_nick_that_somebody_has_or_that_looks_the_same_is_invalid() -> None:
    """Decision — a nick that is taken, or a persona's, or looks like one, counts as invalid."""
    async with house() as place:
        await place.enter("Isabelle")
        wishes = ["Isabelle", "isabelle", "lsabelle", "1SABELLE", "Batty", "BATTY", "8atty"]
        given = [(await place.enter(nick)).nick for nick in wishes]
        assert given == [f"user_{number}" for number in range(1, 7)] + ["8atty"]


async def test_nick_refuses_what_is_taken_and_what_looks_the_same() -> None:
    """Decision — /nick refuses them too: "deja utilise"."""
    async with house() as place:
        ana, _ = await place.company("ana", "Isabelle")
        for nick in ("Isabelle", "ISABELLE", "lsabelle", "Schaeffer", "5chaeffer"):
            await ana.command(f"/nick {nick}")
        assert texts(await ana.so_far()) == [
            'Le pseudo "Isabelle" est deja utilise.',
            'Le pseudo "ISABELLE" est deja utilise.',
            'Le pseudo "lsabelle" est deja utilise.',
            'Le pseudo "Schaeffer" est deja utilise.',
            "ana est maintenant connu(e) comme 5chaeffer",
        ]


async def test_a_nick_that_looks_like_two_others_is_refused_to_both() -> None:
    """Decision — /nick refuses them too: "deja utilise"."""
    async with house(personas=()) as place:
        small, ell = await place.company("isa", "lsa")
        for client in (small, ell):
            told = await client.answer("/nick Isa")
            assert told["text"] == 'Le pseudo "Isa" est deja utilise.'
        assert (await small.answer("/who"))["users"] == ["isa", "lsa"]


# --- lists ------------------------------------------------------------------------------------


async def test_the_others_get_the_list_after_a_connect() -> None:
    """Decision — after a connect the list also goes to the others, with a seq."""
    async with house(personas=()) as place:
        ana = await place.enter("ana")
        await place.enter("bob")
        assert (await ana.until_type("userlist"))["users"] == ["ana", "bob"]


async def test_many_who_leave_at_once_cost_few_lists() -> None:
    """Decision — a channel gets at most one list each quarter of a second."""
    async with house(personas=()) as place:
        ana, *others = await place.company("ana", *(f"n{number}" for number in range(12)))
        await asyncio.gather(*(client.leave() for client in others))
        seen = await ana.until(lambda f: f.get("users") == ["ana"])
        assert sum(f["type"] == "part" for f in seen) == 12
        assert sum(f["type"] == "userlist" for f in seen) <= 6


async def test_the_last_list_is_right_however_many_changes_came_close_together() -> None:
    """Decision — a channel gets at most one list each quarter of a second."""
    async with house(personas=(), rate_limit_messages=100) as place:
        ana, bob = await place.company("ana", "bob")
        for number in range(10):
            await bob.command(f"/nick b{number}")
        seen = await ana.until(lambda f: f.get("users") == ["ana", "b9"])
        assert sum(f["type"] == "userlist" for f in seen) <= 6


# --- large frames -----------------------------------------------------------------------------


async def test_an_upload_of_exactly_12_mib_is_taken_in() -> None:
    """Decision — an upload of exactly 12 MiB passes though its frame is larger than 16 MiB."""
    data = base64.b64encode(b"a" * (12 * 1024 * 1024)).decode()
    name = "f" * 251 + ".txt"
    frame = {"type": "upload", "filename": name, "mimeType": "audio/wav", "data": data}
    async with house(personas=()) as place:
        ana = await place.enter("ana")
        await ana.send(json.dumps({**frame, "size": 12 * 1024 * 1024}))
        assert (await ana.next())["text"] == f"ana a envoyé: {name} (12288.0 KB)"


async def test_frames_up_to_32_mib_are_dropped_and_larger_ones_close_the_line() -> None:
    """Decision — up to 32 MiB a frame is dropped and the connection lives; above it ends, 1009."""
    async with house(personas=()) as place:
        ana, bob = await place.company("ana", "bob")
        await ana.send("x" * (32 * 1024 * 1024))
        assert await ana.so_far() == []
        ana.connection.transport.write(_head_of_frame(32 * 1024 * 1024 + 1))
        with pytest.raises(ConnectionClosed) as closed:
            await ana.connection.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009
        assert (await bob.until(lambda f: f["type"] == "part"))[-1]["nick"] == "ana"


def _head_of_frame(size_bytes: int) -> bytes:
    """Return the head of a masked text frame, of which nothing more is sent."""
    return b"\x81\xff" + size_bytes.to_bytes(8, "big") + b"mask"


# --- who may connect --------------------------------------------------------------------------


async def test_pages_of_other_sites_may_not_connect() -> None:
    """Decision — the Origin of a page must be this server or one that is allowed."""
    async with house(allowed_origins=("https://club.example",)) as place:
        port = place.url.rpartition(":")[2]
        for origin in ("https://evil.example", "null", f"http://127.0.0.1:{port}.evil.example"):
            with pytest.raises(InvalidStatus) as refused:
                await connect(f"{place.url}/ws", origin=origin)
            assert refused.value.response.status_code == 403
        for origin in ("https://club.example", f"http://127.0.0.1:{port}", None):
            assert (await place.enter(origin=origin)).nick.startswith("user_")


async def test_requests_by_another_host_name_are_refused() -> None:
    """Decision — on loopback the Host must be this machine's, so that no name leads here."""
    async with house() as place:
        port = place.url.rpartition(":")[2]
        with pytest.raises(InvalidStatus) as refused:
            await connect(f"ws://evil.example:{port}/ws", host="127.0.0.1", port=int(port))
        assert refused.value.response.status_code == 400


async def test_more_connections_than_allowed_are_refused() -> None:
    """Decision — a server that is full says so before the handshake."""
    async with house(max_connections=2) as place:
        await place.company("ana", "bob")
        with pytest.raises(InvalidStatus) as refused:
            await connect(f"{place.url}/ws")
        assert refused.value.response.status_code == 503


# --- languages --------------------------------------------------------------------------------


async def test_each_client_reads_the_rooms_own_lines_in_its_language() -> None:
    """Decision — ?lang=en changes the room's own lines, and nothing that people say."""
    store = MemoryMessageStore()
    async with house("Oui.", store=store) as place:
        ana = await place.enter("ana")
        await ana.say("@Batty ?")
        await ana.until(lambda f: is_final(f, "Batty"))
        bob = await place.enter("bob", lang="en")
        welcome = texts(bob.welcome)
        assert "***  Your nick: bob" in welcome[0]
        assert (welcome[1], welcome[-1]) == ("--- Recent history ---", "--- End of history ---")
        assert bob.nick == "bob"
        await bob.command("/nick zoe")
        assert (await bob.until_text("zoe"))[-1]["text"] == "bob is now known as zoe"
        assert (await ana.until_text("zoe"))[-1]["text"] == "bob est maintenant connu(e) comme zoe"
        await bob.say("@Batty ?")
        theirs = await bob.until(lambda f: is_final(f, "Batty"))
        assert [f["text"] for f in theirs if f["type"] == "system"] == ["Batty is typing..."]
        assert theirs[-1]["text"] == "Oui."
        await ana.leave()
        assert (await bob.until_text("ana left"))[-1]["text"] == "ana left #general"
        other = await place.enter("ida", lang="xx")
        assert "Ton nick: ida" in other.welcome[0]["text"]
        assert (await bob.until_text("ida"))[-1]["text"] == "ida joined #general"


async def test_a_list_in_another_language_is_the_same_list() -> None:
    """Decision — ?lang=en changes the room's own lines, and nothing that people say."""
    async with house(personas=()) as place:
        bob = await place.enter("bob", lang="en")
        await bob.command("/clear")
        assert (await bob.next())["text"] == "__clear__"
        await bob.command("/who")
        assert is_own_list(await bob.next())


IN_ENGLISH = {
    "/quit": "Unknown command: /quit. Type /help.",
    "/nick": "Usage: /nick <name> (2-24 characters)",
    "/nick Batty": 'The nick "Batty" is already in use.',
    "/web": "Usage: /web <search>",
    "/memory": "Usage: /memory <persona_name>",
    "/memory Bach": 'Persona "Bach" not found. There are: Schaeffer, Batty, Pharmacius',
    "/export": "This channel has no history.",
    "/responders": "Usage: /responders <1-5> (now: 2)",
    "/imagine": "Usage: /imagine <what the picture shows>",
    "/compose": "Usage: /compose <what the music is like>",
    "/join": "Usage: /join #channel-name (2-30 chars, starts with #)",
    "/join #é": "Invalid channel name (letters, digits, - and _ only)",
    "/channels": "Active channels:\n  #general (1 connected)",
    "/stop": "No answer that you asked for is under way.",
}
STARTS_IN_ENGLISH = {
    "/help": "=== Available commands ===",
    "/status": "=== Server status ===",
    "/models": "=== Models of Ollama ===",
    "/context": "=== Context Store: #general ===\nMessages kept: 0",
    "/personas": "  Schaeffer (qwen3:8b) — Tu es Schaeffer.",
    "/memory Batty": "=== Memory of Batty ===",
    "/imagine x": "ComfyUI error: no ComfyUI server is configured",
    "/compose x": "Cannot compose: no music service is configured",
}


async def test_every_command_answers_in_the_language_of_its_user() -> None:
    """Decision — ?lang=en changes the room's own lines, and nothing that people say."""
    async with house(rate_limit_messages=1000) as place:
        bob = await place.enter("bob", lang="en")
        told = {line: (await bob.answer(line))["text"] for line in IN_ENGLISH}
        assert told == IN_ENGLISH
        for line, start in STARTS_IN_ENGLISH.items():
            assert (await bob.answer(line))["text"].startswith(start)
        await bob.command("/web x")
        searching, failed = texts(await bob.so_far())
        assert searching == "Searching: x..."
        assert failed.startswith("Search failed: no search engine is configured")
        await bob.command("/reload")
        assert texts(await bob.so_far()) == [
            "Reading the personas again...",
            "Personas read again: Schaeffer, Batty, Pharmacius",
        ]
        await bob.command("/join #x")
        assert (await bob.until_text("Channel"))[-1]["text"] == "Channel changed: #x"
