"""Where the seed is silent or contradicts itself: what was decided (docs/protocol)."""

import asyncio
import base64
import json

import pytest
from tests.support.rooms import (
    BATTY,
    PHARMACIUS,
    SCHAEFFER,
    House,
    house,
    is_final,
    is_own_list,
    texts,
)
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from palabre.core.personas.model import TopicRule
from palabre.kernel.ids import Nick
from palabre.testing.clock import FrozenClock
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.models import Answer
from palabre.testing.personas import a_persona

STOPPED = "Batty s'interrompt, a la demande de ana."


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
        assert sum(f["type"] == "userlist" for f in seen) <= 3


async def test_the_last_list_is_right_however_many_changes_came_close_together() -> None:
    """Decision — a channel gets at most one list each quarter of a second."""
    async with house(personas=(), rate_limit_messages=100) as place:
        ana, bob = await place.company("ana", "bob")
        for number in range(10):
            await bob.command(f"/nick b{number}")
        seen = await ana.until(lambda f: f.get("users") == ["ana", "b9"])
        assert sum(f["type"] == "userlist" for f in seen) <= 3


# --- replies ----------------------------------------------------------------------------------


async def test_chunks_message_and_typing_line_name_their_reply() -> None:
    """Decision — chunk, message and typing line carry a replyId, people's messages none."""
    async with house(Answer(("a", "b"))) as place:
        ana = await place.enter("ana")
        ids = []
        for _ in range(2):
            await ana.say("@Batty ?")
            said, *reply = await ana.until(lambda f: is_final(f, "Batty"))
            assert "replyId" not in said
            (reply_id,) = {frame["replyId"] for frame in reply}
            ids.append(reply_id)
        assert ids[0] != ids[1]


async def test_stop_overtakes_and_breaks_off_the_senders_answers_alone() -> None:
    """Decision — /stop is done at once and breaks off the sender's answers."""
    gate = asyncio.Event()
    async with house(Answer(("J'ai ",)), Answer(gate=gate), Answer(gate=gate)) as place:
        ana, bob = await place.company("ana", "bob")
        await bob.say("@Schaeffer ?")
        await ana.until(lambda f: is_final(f, "Schaeffer"))
        await bob.say("@Schaeffer ?")
        await ana.until_text("Schaeffer est en train d'ecrire...")
        await ana.say("@Batty ?")
        await ana.until_text("Batty est en train d'ecrire...")
        await ana.command("/stop")
        seen = await ana.until_text(STOPPED)
        assert "Reponses arretees: Batty." in texts(seen)
        assert place.provider.open_calls == 1
        gate.set()
        await ana.until(lambda f: is_final(f, "Schaeffer"))


async def test_what_was_said_before_a_stop_is_kept_and_told() -> None:
    """Decision — /stop is done at once and breaks off the sender's answers."""
    async with house(Answer(("J'ai ", "vu", " tant"), delay_s=0.05)) as place:
        ana, bob = await place.company("ana", "bob")
        await ana.say("@Batty ?")
        await ana.until(lambda f: f["type"] == "chunk")
        await ana.command("/stop")
        await ana.command("/channels")
        seen = await ana.until_text("Canaux actifs")
        final = next(f for f in seen if is_final(f, "Batty"))
        assert "J'ai vu tant".startswith(final["text"])
        assert texts(seen)[-2:] == [STOPPED, "Canaux actifs:\n  #general (2 connectes)"]
        assert (await bob.until_text(STOPPED))[-2]["text"] == final["text"]
        assert place.store.utterances[-1].text == final["text"]


async def test_stop_is_heard_from_a_client_that_sends_too_much() -> None:
    """Decision — /stop is done even above the limit."""
    gate = asyncio.Event()
    async with house(Answer(gate=gate), clock=FrozenClock(), rate_limit_messages=1) as place:
        ana = await place.enter("ana")
        await ana.say("@Batty ?")
        await ana.until_text("Batty est en train d'ecrire...")
        await ana.command("/who")
        assert (await ana.next())["text"] == "Trop de messages — ralentis un peu."
        await ana.command("  /STOP now")
        seen = texts(await ana.until_text(STOPPED))
        assert "Reponses arretees: Batty." in seen
        assert place.provider.open_calls == 0


async def test_stop_without_an_answer_says_so() -> None:
    """Decision — /stop is done at once and breaks off the sender's answers."""
    async with house() as place:
        ana = await place.enter("ana")
        assert await ana.answer("/stop") == {
            "type": "system",
            "text": "Aucune reponse en cours que tu aies demandee.",
        }


async def test_a_disk_that_is_full_at_a_stop_harms_nobody() -> None:
    """Decision — /stop is done at once and breaks off the sender's answers."""
    store = MemoryMessageStore()
    async with house(Answer(("J'ai ", "vu"), delay_s=0.05), store=store) as place:
        ana = await place.enter("ana")
        await ana.say("@Batty ?")
        await ana.until(lambda f: f["type"] == "chunk")
        store.refusal = "No space left on device"
        await ana.command("/stop")
        await ana.until_text("No space left on device")
        store.refusal = None
        assert (await ana.answer("/who"))["type"] == "userlist"


async def test_an_answer_that_cannot_be_kept_is_not_told() -> None:
    """Decision — what cannot be kept is told to nobody."""
    store = MemoryMessageStore()
    gate = asyncio.Event()
    async with house(Answer(("Oui.",), gate=gate), store=store) as place:
        ana = await place.enter("ana")
        await ana.say("@Batty ?")
        await ana.until_text("est en train d'ecrire")
        store.refusal = "No space left on device"
        gate.set()
        seen = await ana.until_text("No space left on device")
        assert not any(is_final(f, "Batty") for f in seen)


async def test_a_message_of_a_person_ends_a_chain() -> None:
    """Decision — a message of a person ends a chain of personas."""
    async with house("@Schaeffer ?", "Oui.", chain_delay_s=0.2) as place:
        ana, bob = await place.company("ana", "bob")
        await ana.say("@Batty ?")
        await bob.until(lambda f: is_final(f, "Batty"))
        await bob.say("Non, @Pharmacius !")
        await bob.until(lambda f: is_final(f, "Pharmacius"))
        await asyncio.sleep(0.3)
        assert "Schaeffer" not in {f.get("nick") for f in await bob.so_far()}


async def test_the_next_of_a_chain_is_the_first_named_in_the_answer_itself() -> None:
    """Decision — the first persona that the answer names, the speaker and quotes left out."""
    answer = "> @Pharmacius a dit\n`@Pharmacius` @Batty, vois avec @Schaeffer ou @Pharmacius"
    async with house(answer, "Oui.") as place:
        ana = await place.enter("ana")
        await ana.say("@Batty ?")
        await ana.until(lambda f: is_final(f, "Batty"))
        seen = await ana.until(lambda f: f["type"] == "message")
        assert seen[-1]["nick"] == "Schaeffer"


# --- who answers ------------------------------------------------------------------------------


async def answering(place: House, text: str) -> list[str]:
    """Return who answers *text*, in the order of the names."""
    (ana,) = [client for client in place.clients if client.nick == "ana"]
    await ana.say(text)
    return sorted(f["nick"] for f in (await ana.so_far())[1:] if f["type"] == "message")


NAMED = {
    "@Batty": ["Batty"],
    "salut @batty.": ["Batty"],
    "(@BATTY), @Batty!": ["Batty"],
    "@Batty_": ["Pharmacius"],
    "@Battyxx": ["Pharmacius"],
    "@Bat": ["Pharmacius"],
    "@Personne": ["Pharmacius"],
    "Batty": ["Pharmacius"],
    "écris à moi@Batty.org": ["Pharmacius"],
    "http://x.org/@Batty": ["Pharmacius"],
    "https://@Batty/x": ["Pharmacius"],
    "`@Batty`": ["Pharmacius"],
    "```\n@Batty\n```": ["Pharmacius"],
    "`code` @Batty": ["Batty"],
    "@Batty2": ["Batty2"],
    "@Batty2 @Batty": ["Batty", "Batty2"],
    "@Schaeffer @Batty @Pharmacius": ["Batty", "Schaeffer"],
}


async def test_a_persona_is_named_on_word_borders_and_the_longest_name_wins() -> None:
    """Decision — @Name on word borders, never in addresses, links or code; longest name wins.
    §13.3 — les messages texte contenant @NomPersona declenchent une reponse directe
    """
    cast = (SCHAEFFER, BATTY, a_persona("Batty2"), PHARMACIUS)
    async with house("Oui.", personas=cast, rate_limit_messages=1000) as place:
        await place.enter("ana")
        assert {text: await answering(place, text) for text in NAMED} == NAMED


TOPICS = (
    TopicRule("musique", frozenset({"son", "musique"}), (Nick("Schaeffer"), Nick("Pharmacius"))),
    TopicRule("mort", frozenset({"memoire", "son"}), (Nick("Batty"),)),
    TopicRule("absents", frozenset({"code"}), (Nick("Turing"),)),
)
BY_TOPIC = {
    "un son grave": ["Pharmacius", "Schaeffer"],
    "Quelle MUSIQUE ?": ["Pharmacius", "Schaeffer"],
    "la mémoire": ["Batty"],
    "une chanson": ["Pharmacius"],
    "du code": ["Pharmacius"],
    "bonjour": ["Pharmacius"],
    "un son, @Batty": ["Batty"],
}


async def test_without_a_name_a_topic_then_the_dispatcher_chooses() -> None:
    """Decision — topic rules by whole words, then Pharmacius, then the first persona."""
    async with house("Oui.", topics=TOPICS, rate_limit_messages=1000) as place:
        await place.enter("ana")
        assert {text: await answering(place, text) for text in BY_TOPIC} == BY_TOPIC


async def test_without_a_dispatcher_the_first_persona_answers() -> None:
    """Decision — topic rules by whole words, then Pharmacius, then the first persona."""
    async with house("Oui.", personas=(BATTY, SCHAEFFER)) as place:
        await place.enter("ana")
        assert await answering(place, "bonjour") == ["Batty"]


async def test_without_personas_nobody_answers() -> None:
    """Decision — topic rules by whole words, then Pharmacius, then the first persona."""
    async with house(personas=()) as place:
        await place.enter("ana")
        assert await answering(place, "bonjour @Batty") == []


# --- large frames -----------------------------------------------------------------------------


async def test_an_upload_of_exactly_12_mib_is_taken_in() -> None:
    """Decision — an upload of exactly 12 MiB passes though its frame is larger than 16 MiB."""
    data = base64.b64encode(bytes(12 * 1024 * 1024)).decode()
    frame = {"type": "upload", "filename": "f" * 255, "mimeType": "audio/wav", "data": data}
    async with house(personas=()) as place:
        ana = await place.enter("ana")
        await ana.send(json.dumps({**frame, "size": 12 * 1024 * 1024}))
        assert (await ana.next())["text"].startswith("Upload rejeté — ")


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
