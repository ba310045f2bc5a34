"""Seed 000 §5.9: what happens when a client goes."""

import asyncio

from tests.support.rooms import BATTY, house, is_final, texts

from palabre.testing.models import Answer


async def test_a_client_that_closes_is_announced_and_then_listed_no_more() -> None:
    """§5.9 — Sur ws.close: 1. Broadcast part a tout le canal
    §5.9 — 2. Suppression du client de la map clients
    §5.9 — 3. Broadcast userlist mis a jour
    """
    async with house(personas=(BATTY,)) as place:
        ana, bob = await place.company("ana", "bob")
        await bob.leave()
        part, users = await ana.until(lambda f: f["type"] == "userlist")
        assert part["text"] == "bob a quitte #general"
        assert users["users"] == ["ana", "Batty"]
        assert users["seq"] == part["seq"] + 1


async def test_a_client_that_breaks_off_is_announced_too() -> None:
    """§5.9 — Sur ws.error: log, puis le close event suit automatiquement."""
    async with house(personas=()) as place:
        ana, bob = await place.company("ana", "bob")
        bob.connection.transport.abort()
        assert texts(await ana.until(lambda f: f["type"] == "part")) == ["bob a quitte #general"]


async def test_a_client_that_speaks_no_websocket_is_announced_too() -> None:
    """§5.9 — Sur ws.error: log, puis le close event suit automatiquement."""
    async with house(personas=()) as place:
        ana, bob = await place.company("ana", "bob")
        bob.connection.transport.write(b"\xff\xff\xff\xff\xff\xff\xff\xff")
        assert texts(await ana.until(lambda f: f["type"] == "part")) == ["bob a quitte #general"]


async def test_the_channel_of_the_moment_is_told() -> None:
    """§5.9 — 1. Broadcast part a tout le canal"""
    async with house(personas=()) as place:
        ana, bob = await place.company("ana", "bob")
        for client in (bob, ana):
            await client.command("/join #ailleurs")
            await client.until_text("Canal change")
        await bob.leave()
        part = (await ana.until(lambda f: f["type"] == "part"))[-1]
        assert (part["channel"], part["text"]) == ("#ailleurs", "bob a quitte #ailleurs")


async def test_a_nick_is_free_once_its_holder_has_gone() -> None:
    """§5.9 — 2. Suppression du client de la map clients"""
    async with house(personas=()) as place:
        ana, bob = await place.company("ana", "bob")
        await bob.leave()
        await ana.until(lambda f: f["type"] == "part")
        assert (await place.enter("bob")).nick == "bob"


async def test_what_was_sent_before_leaving_is_still_said() -> None:
    """§5.9 — Sur ws.close: 1. Broadcast part a tout le canal"""
    gate = asyncio.Event()
    async with house(Answer(("Oui.",), gate=gate)) as place:
        ana, bob = await place.company("ana", "bob")
        await bob.say("@Batty ?")
        await ana.until_text("est en train d'ecrire")
        await bob.say("au revoir")
        await bob.leave()
        seen = await ana.until(lambda f: f["type"] == "part")
        assert [f["text"] for f in seen if f["type"] == "message"] == ["au revoir"]
        gate.set()
        assert (await ana.until(lambda f: is_final(f, "Batty")))[-1]["text"] == "Oui."


async def test_an_answer_outlives_who_asked_for_it() -> None:
    """§5.9 — Sur ws.close: 1. Broadcast part a tout le canal"""
    gate = asyncio.Event()
    async with house(Answer(("Tard.",), gate=gate)) as place:
        ana, bob = await place.company("ana", "bob")
        await bob.say("@Batty ?")
        await ana.until_text("est en train d'ecrire")
        await bob.leave()
        await ana.until(lambda f: f["type"] == "part")
        gate.set()
        assert (await ana.until(lambda f: is_final(f, "Batty")))[-1]["text"] == "Tard."
        assert place.provider.closed_early == 0
