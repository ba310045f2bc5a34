"""Seed 000 §5.7: what the server sends, to whom, and how it counts."""

import asyncio

from tests.support.rooms import BATTY, Frame, house, is_final, is_own_list, plain, texts

from palabre.kernel.errors import UpstreamError
from palabre.testing.models import Answer


async def test_broadcasts_of_a_channel_count_without_a_gap() -> None:
    """§5.7 — Tous les messages broadcast incluent un champ seq (compteur auto-increment par canal, monotone)
    §5.7 — Un Map<string, number> par canal, incrementant a chaque broadcast()
    """
    async with house(Answer(("Un ", "deux.")), "Trois.") as place:
        ana, bob = await place.company("ana", "bob")
        await ana.say("@Batty ?")
        await ana.command("/responders 3")
        await ana.command("/clear")
        await bob.command("/nick zoe")
        await bob.until_text("connu(e)")
        cleo = await place.enter("cleo")
        await cleo.leave()
        await ana.say("@Schaeffer ?")
        seen = await ana.until(lambda f: is_final(f, "Schaeffer"))
        counted = [f["seq"] for f in seen if "seq" in f and f["type"] != "chunk"]
        assert len(counted) > 10
        assert counted == list(range(counted[0], counted[0] + len(counted)))


async def test_everybody_in_the_channel_gets_the_same_broadcasts() -> None:
    """§5.7 — Tous les messages broadcast incluent un champ seq"""
    async with house(Answer(("Un ", "deux."))) as place:
        ana, bob = await place.company("ana", "bob")
        await ana.say("@Batty ?")
        seen = await ana.until(lambda f: is_final(f, "Batty"))
        assert await bob.until(lambda f: is_final(f, "Batty")) == seen


async def test_what_one_client_is_told_has_no_seq_and_takes_none() -> None:
    """§5.7 — Le seq n'est pas applique aux messages send() unicast."""
    async with house(personas=()) as place:
        ana = await place.enter("ana")
        await ana.say("a")
        for line in ("/help", "/who", "/status", "/models", "/channels", "/quoi"):
            await ana.command(line)
        await ana.say("la fin")
        seen = await ana.until_text("la fin")
        assert [f["seq"] for f in seen if "seq" in f] == [3, 4]
        assert len(seen) == 8


async def test_each_channel_counts_for_itself() -> None:
    """§5.7 — Compteur seq: nextSeq(channel) dans ws-chat.ts. Un Map<string, number> par canal"""
    async with house(personas=()) as place:
        ana, bob = await place.company("ana", "bob")
        await ana.say("ici")
        await bob.command("/join #ailleurs")
        await bob.until_text("Canal change")
        await bob.say("la")
        assert (await bob.until_text("la"))[-1]["seq"] == 3  # after his own join and its list
        assert (await ana.until_text("ici"))[-1]["seq"] == 5
        left = (await ana.until(lambda f: f["type"] == "part"))[-1]
        assert left["seq"] == 6


async def test_the_count_goes_on_when_nobody_listens() -> None:
    """§5.7 — compteur auto-increment par canal, monotone"""
    async with house(personas=()) as place:
        ana = await place.enter("ana")
        await ana.say("un")
        before = (await ana.next())["seq"]
        await ana.leave()
        bob = await place.enter("bob")
        await bob.say("deux")
        assert (await bob.until_text("deux"))[-1]["seq"] > before


async def test_what_a_person_says() -> None:
    """§5.7 — message: Emis pour: messages utilisateur (color #e0e0e0)"""
    async with house(personas=()) as place:
        ana = await place.enter("ana")
        await ana.say("Xenakis ?")
        assert await ana.next() == {
            "type": "message",
            "nick": "ana",
            "text": "Xenakis ?",
            "color": "#e0e0e0",
            "seq": 3,
        }


async def test_a_reply_is_a_typing_line_then_chunks_then_a_message() -> None:
    """§5.7 — message: reponses finales de persona (color de la persona)
    §5.7 — Ce message remplace les chunks de streaming precedents pour le meme nick.
    §5.7 — chunk: Emis pendant le streaming Ollama, un token a la fois
    §5.7 — Indicateurs d'ecriture: "<nick> est en train d'ecrire..." (emis juste avant l'appel Ollama)
    §5.8 — Le streaming LLM suit un pattern chunk -> message replacement
    """
    async with house(Answer(("Xena", "kis a", " form"))) as place:
        ana = await place.enter("ana")
        await ana.say("@Batty ?")
        reply = (await ana.until(lambda f: is_final(f, "Batty")))[1:]
        red = {"nick": "Batty", "color": "#ef5350"}
        assert plain(reply) == [
            {"type": "system", "text": "Batty est en train d'ecrire...", "seq": 4},
            {"type": "chunk", "text": "Xena", "seq": 1, **red},
            {"type": "chunk", "text": "kis a", "seq": 2, **red},
            {"type": "chunk", "text": " form", "seq": 3, **red},
            {"type": "message", "text": "Xenakis a form", "seq": 5, **red},
        ]


async def test_chunks_count_from_1_in_each_reply_and_take_no_place_in_the_channel() -> None:
    """§5.7 — Le seq dans un chunk est un compteur par reponse, pas global au canal — il commence a 1
    §5.8 — Le seq du message final est le seq global du canal (pas le compteur chunk)
    """
    async with house(Answer(("a", "b")), Answer(("c", "d", "e"))) as place:
        ana = await place.enter("ana")
        await ana.say("@Batty ?")
        first = await ana.until(lambda f: is_final(f, "Batty"))
        await ana.say("@Batty ?")
        second = await ana.until(lambda f: is_final(f, "Batty"))
        assert [f["seq"] for f in first] == [3, 4, 1, 2, 5]
        assert [f["seq"] for f in second] == [6, 7, 1, 2, 3, 8]


async def test_the_chunks_of_a_reply_make_its_message() -> None:
    """§5.7 — Le client accumule les chunks par nick et les remplace par le message final
    §5.8 — 1. Sur reception de chunk pour un nick donne: concatener text au buffer
    """
    pieces = ("<think>", "hm", "</think>", "\n\nBatty", " : ", "J'ai", " vu", "…")
    async with house(Answer(pieces)) as place:
        ana = await place.enter("ana")
        await ana.say("@Batty ?")
        seen = await ana.until(lambda f: is_final(f, "Batty"))
        chunks = [f["text"] for f in seen if f["type"] == "chunk"]
        assert "".join(chunks) == seen[-1]["text"] == "J'ai vu…"


async def test_the_typing_line_comes_just_before_the_call() -> None:
    """§5.7 — Indicateurs d'ecriture: emis juste avant l'appel Ollama"""
    gate = asyncio.Event()
    async with house(Answer(gate=gate)) as place:
        ana = await place.enter("ana")
        await ana.say("@Batty ?")
        await ana.until_text("Batty est en train d'ecrire...")
        assert place.provider.open_calls == 1
        gate.set()
        await ana.until(lambda f: is_final(f, "Batty"))


async def test_an_error_of_the_model_is_a_line_and_no_message() -> None:
    """§5.7 — Erreurs Ollama: "<nick>: erreur Ollama — <message>" """
    error = UpstreamError(detail="Ollama returned 500: Internal Server Error")
    async with house(Answer((), error=error)) as place:
        ana, bob = await place.company("ana", "bob")
        await ana.say("@Batty ?")
        assert texts(await ana.so_far())[1:] == [
            "Batty est en train d'ecrire...",
            "Batty: erreur Ollama — Ollama returned 500: Internal Server Error",
        ]
        told = (await bob.until_text("erreur Ollama"))[-1]
        assert told["type"] == "system"


async def test_clear_is_the_text_that_empties_the_display() -> None:
    """§5.7 — Sentinel __clear__: Broadcast a tout le canal."""
    async with house(personas=()) as place:
        ana, bob = await place.company("ana", "bob")
        await ana.command("/clear")
        expected = {"type": "system", "text": "__clear__", "seq": 5}
        assert (await ana.next(), await bob.next()) == (expected, expected)


async def test_somebody_comes_and_goes() -> None:
    """§5.7 — join: { "type": "join", "nick": "user_42", "channel": "#general", "text": "user_42 a rejoint #general" }
    §5.7 — part: { "type": "part", "nick": "user_42", "channel": "#general", "text": "user_42 a quitte #general" }
    §5.7 — part: Broadcast a tout le canal sur ws.close. Suivi d'un userlist broadcast.
    """
    async with house(personas=(BATTY,)) as place:
        ana = await place.enter("ana")
        guest = await place.enter()
        assert await ana.until(lambda f: f["type"] == "userlist") == [
            {
                "type": "join",
                "nick": "user_1",
                "channel": "#general",
                "text": "user_1 a rejoint #general",
                "seq": 3,
            },
            {"type": "userlist", "users": ["ana", "user_1", "Batty"], "seq": 4},
        ]
        await guest.leave()
        assert await ana.until(lambda f: f["type"] == "userlist") == [
            {
                "type": "part",
                "nick": "user_1",
                "channel": "#general",
                "text": "user_1 a quitte #general",
                "seq": 5,
            },
            {"type": "userlist", "users": ["ana", "Batty"], "seq": 6},
        ]


async def test_the_list_goes_to_the_newcomer_alone_and_then_to_all_with_a_seq() -> None:
    """§5.7 — userlist: A la connexion (unicast au nouveau client, sans seq)
    §5.7 — userlist: Apres chaque join/part (broadcast a tout le canal, avec seq)
    §5.7 — userlist: En reponse a /who (unicast au demandeur, sans seq)
    §5.7 — userlist: Inclut les clients connectes au canal + toutes les personas actives
    """
    async with house(personas=(BATTY,)) as place:
        ana = await place.enter("ana")
        bob = await place.enter("bob")
        users = ["ana", "bob", "Batty"]
        assert is_own_list(bob.welcome[-1] if "seq" not in bob.welcome[-1] else bob.welcome[-2])
        told = await ana.until_type("userlist")
        assert told == {"type": "userlist", "users": users, "seq": 4}
        await bob.command("/who")
        assert (await bob.until(is_own_list))[-1] == {"type": "userlist", "users": users}
        assert await ana.so_far() == []


async def test_the_channel_is_confirmed_to_who_changed_it() -> None:
    """§5.7 — channelInfo: Envoye en unicast apres /join #canal. Confirme le changement de canal."""
    async with house(personas=()) as place:
        ana, bob = await place.company("ana", "bob")
        await ana.command("/join #musique")
        told = (await ana.until(lambda f: f["type"] == "channelInfo"))[-1]
        assert told == {"type": "channelInfo", "channel": "#musique"}
        await bob.until(lambda f: f["type"] == "part")
        assert "channelInfo" not in kinds(await bob.so_far())


def kinds(frames: list[Frame]) -> set[str]:
    return {frame["type"] for frame in frames}
