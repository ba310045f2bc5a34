"""Where the seed is silent or contradicts itself: what was decided about replies."""

import asyncio

from tests.support.rooms import (
    BATTY,
    PHARMACIUS,
    SCHAEFFER,
    House,
    house,
    is_final,
    texts,
)

from palabre.core.personas.model import TopicRule
from palabre.kernel.ids import Nick
from palabre.testing.clock import FrozenClock
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.models import Answer
from palabre.testing.personas import a_persona

STOPPED = "Batty s'interrompt, à la demande de ana."


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
        assert "Réponses arrêtées : Batty." in texts(seen)
        assert place.provider.open_calls == 1
        gate.set()
        await ana.until(lambda f: is_final(f, "Schaeffer"))


async def test_what_was_said_before_a_stop_is_kept_and_told() -> None:
    """Decision — /stop is done at once and breaks off the sender's answers."""
    async with house(Answer(("J'ai ", "vu"), delay_s=60)) as place:
        ana, bob = await place.company("ana", "bob")
        await ana.say("@Batty ?")
        await ana.until(lambda f: f["type"] == "chunk")
        await ana.command("/stop")
        await ana.command("/channels")
        seen = await ana.until_text("Canaux actifs")
        final = next(f for f in seen if is_final(f, "Batty"))
        assert final["text"] == "J'ai"
        assert texts(seen)[-2:] == [STOPPED, "Canaux actifs:\n  #general (2 connectes)"]
        assert (await bob.until_text(STOPPED))[-2]["text"] == "J'ai"
        assert place.store.utterances[-1].text == "J'ai"


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
        assert "Réponses arrêtées : Batty." in seen
        assert place.provider.open_calls == 0


async def test_stop_without_an_answer_says_so() -> None:
    """Decision — /stop is done at once and breaks off the sender's answers."""
    async with house() as place:
        ana = await place.enter("ana")
        assert await ana.answer("/stop") == {
            "type": "system",
            "text": "Aucune réponse en cours que tu aies demandée.",
        }


async def test_a_disk_that_is_full_at_a_stop_harms_nobody() -> None:
    """Decision — /stop is done at once and breaks off the sender's answers."""
    store = MemoryMessageStore()
    async with house(Answer(("J'ai ", "vu"), delay_s=60), store=store) as place:
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
    async with house("@Schaeffer ?", "Oui.", chain_delay_s=2) as place:
        ana, bob = await place.company("ana", "bob")
        await ana.say("@Batty ?")
        await bob.until(lambda f: is_final(f, "Batty"))
        await bob.say("Non, @Pharmacius !")
        await bob.until(lambda f: is_final(f, "Pharmacius"))
        await asyncio.sleep(2.1)
        assert "Schaeffer" not in {f.get("nick") for f in await bob.so_far()}


async def test_a_message_of_a_person_during_an_answer_ends_its_chain() -> None:
    """Decision — a message of a person ends a chain of personas."""
    gate = asyncio.Event()
    async with house(Answer(("@Schaeffer ?",), gate=gate), "Oui.") as place:
        ana, bob = await place.company("ana", "bob")
        await ana.say("@Batty ?")
        await bob.until_text("Batty est en train d'ecrire...")
        await bob.say("Non, @Pharmacius !")
        await bob.until(lambda f: is_final(f, "Pharmacius"))
        gate.set()
        await bob.until(lambda f: is_final(f, "Batty"))
        await asyncio.sleep(0.1)  # ten times the pause that comes before a hop
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
