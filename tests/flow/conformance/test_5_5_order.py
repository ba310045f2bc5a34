"""Seed 000 §5.5: what one client sends is done in order, and holds up nobody else."""

import asyncio

from tests.support.rooms import house, is_final, is_own_list, texts

from palabre.core.chat.model import Utterance
from palabre.kernel.ids import ChannelName
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.models import Answer


async def test_a_command_sent_during_ones_own_answer_comes_after_it() -> None:
    """§5.5 — Les messages entrants sont traites sequentiellement via une Promise chain par connexion
    §5.5 — garantir l'ordre FIFO meme avec des handlers async (Ollama streaming, uploads, etc.)
    §5.5 — Chaque message attend la completion du precedent.
    """
    gate = asyncio.Event()
    async with house(Answer(("Bon", "jour."), gate=gate)) as place:
        ana = await place.enter("ana")
        await ana.say("@Batty bonjour")
        await ana.until_text("est en train d'ecrire")
        await ana.command("/who")
        await ana.say("@Batty encore")
        gate.set()
        seen = await ana.until(lambda f: is_final(f, "ana"))
        kinds = [f["type"] for f in seen]
        assert kinds == ["chunk", "chunk", "message", "userlist", "message"]
        assert is_own_list(seen[3])
        assert seen[-1]["text"] == "@Batty encore"


async def test_all_answers_to_a_message_come_before_the_next_command() -> None:
    """§5.5 — Chaque message attend la completion du precedent."""
    async with house(Answer(("Un.",), delay_s=0.02)) as place:
        ana = await place.enter("ana")
        await ana.say("@Batty et @Schaeffer")
        seen = await ana.so_far()
        assert {f["nick"] for f in seen if f["type"] == "message"} == {"ana", "Batty", "Schaeffer"}


async def test_commands_are_answered_in_the_order_of_sending() -> None:
    """§5.5 — garantir l'ordre FIFO"""
    async with house(personas=()) as place:
        ana = await place.enter("ana")
        for line in ("/zero", "/channels", "/web", "/join", "/nick", "/compose", "/imagine"):
            await ana.command(line)
        await ana.say("fin")
        starts = [text.split(" ")[0:2] for text in texts(await ana.until_text("fin"))]
        assert starts == [
            ["Commande", "inconnue:"],
            ["Canaux", "actifs:\n"],
            ["Usage:", "/web"],
            ["Usage:", "/join"],
            ["Usage:", "/nick"],
            ["Usage:", "/compose"],
            ["Usage:", "/imagine"],
            ["fin"],
        ]


async def test_others_are_not_held_up_by_somebodys_answer() -> None:
    """§5.5 — une Promise chain par connexion"""
    gate = asyncio.Event()
    async with house(Answer(("Enfin.",), gate=gate)) as place:
        ana, bob = await place.company("ana", "bob")
        await ana.say("@Batty bonjour")
        await bob.until_text("est en train d'ecrire")
        assert (await bob.answer("/who"))["type"] == "userlist"
        await bob.command("/nick zoe")
        assert (await ana.until_text("connu(e)"))[-1]["text"].startswith("bob est")
        gate.set()
        await bob.until(lambda f: is_final(f, "Batty"))


class ForgetfulStore(MemoryMessageStore):
    """Fails in a way that nobody foresaw, while it is told to."""

    broken = False

    async def append(self, utterance: Utterance) -> None:
        if self.broken:
            raise RuntimeError("unforeseen")
        await super().append(utterance)


async def test_an_error_does_not_break_the_chain() -> None:
    """§5.5 — Les erreurs sont catchees sans casser la chain."""
    store = ForgetfulStore()
    async with house(personas=(), store=store) as place:
        ana, bob = await place.company("ana", "bob")
        store.broken = True
        await ana.say("perdu")
        told = await ana.next()
        assert told["type"] == "system"
        assert told["text"].startswith("Erreur interne — référence error_")
        store.broken = False
        await ana.say("garde")
        assert texts(await bob.until_text("garde")) == ["garde"]


async def test_what_cannot_be_kept_is_told_to_its_sender_and_nobody_else() -> None:
    """§5.5 — Les erreurs sont catchees sans casser la chain."""
    store = MemoryMessageStore()
    async with house(personas=(), store=store) as place:
        ana, bob = await place.company("ana", "bob")
        store.refusal = "No space left on device"
        await ana.say("perdu")
        assert await ana.next() == {
            "type": "system",
            "text": (
                "Ce message n'a pas pu être gardé, il n'est donc pas envoyé : "
                "No space left on device"
            ),
        }
        assert await bob.so_far() == []
        store.refusal = None
        await ana.say("garde")
        assert (await bob.next())["text"] == "garde"
        assert [said.text for said in await store.latest(ChannelName("#general"), 9)] == ["garde"]


async def test_more_frames_than_can_wait_are_refused_with_a_line() -> None:
    """§5.5 — Chaque message attend la completion du precedent."""
    gate = asyncio.Event()
    async with house(Answer(("Enfin.",), gate=gate), rate_limit_messages=100) as place:
        ana = await place.enter("ana")
        await ana.say("@Batty bonjour")
        await ana.until_text("est en train d'ecrire")
        for _ in range(33):
            await ana.command("/who")
        assert texts([await ana.next()]) == [
            "Trop de messages en attente : attends une réponse, ou tape /stop."
        ]
        gate.set()
        seen = await ana.until(is_own_list)
        assert [f["type"] for f in seen] == ["chunk", "message", "userlist"]
        for _ in range(31):
            assert is_own_list(await ana.next())
