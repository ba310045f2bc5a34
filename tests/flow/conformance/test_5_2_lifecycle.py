"""Seed 000 §5.2: what a newcomer is sent, and what the others are."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from tests.support.rooms import house, is_final, is_own_list

from palabre.adapters.storage.jsonl.messages import JsonlMessageStore
from palabre.core.chat.model import Utterance
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.clock import FrozenClock
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.personas import a_persona
from palabre.testing.telemetry import RecordingTelemetry

CAST = (a_persona("Schaeffer"), a_persona("Batty", color="#ef5350"), a_persona("Radigue"))
GENERAL = ChannelName("#general")
TEN = datetime(2026, 3, 20, 10, 5, tzinfo=UTC)


def said(nick: str, text: str, minute: int = 0, channel: str = "#general") -> Utterance:
    return Utterance(TEN + timedelta(minutes=minute), ChannelName(channel), Nick(nick), text)


async def stocked(*utterances: Utterance) -> MemoryMessageStore:
    store = MemoryMessageStore()
    for utterance in utterances:
        await store.append(utterance)
    return store


async def test_a_newcomer_is_sent_five_things_in_order() -> None:
    """§5.2 — A la connexion, le serveur envoie les messages suivants dans cet ordre exact"""
    store = await stocked(said("ana", "salut"))
    async with house(personas=CAST, store=store) as place:
        await place.enter("bob")
        newcomer = await place.enter("ana")
        assert [frame["type"] for frame in newcomer.welcome] == [
            "system",
            *["persona"] * 3,
            "userlist",
            "system",
            "message",
            "system",
        ]


async def test_the_message_of_the_day_names_the_personas_and_the_nick() -> None:
    """§5.2 — 1. system     MOTD (Message Of The Day)
    §5.2 — Detail MOTD (envoye via send au client uniquement)
    """
    async with house(personas=CAST) as place:
        (other,) = await place.company("bob")
        newcomer = await place.enter()
        assert newcomer.welcome[0] == {
            "type": "system",
            "text": (
                "***\n***  KXKM_Clown V2 — WebSocket Chat\n***\n"
                "***  Personas actives: Schaeffer, Batty, Radigue\n"
                "***  Tape /help pour les commandes.\n"
                "***  Ton nick: user_1\n***"
            ),
        }
        seen = await other.until(lambda frame: frame["type"] == "userlist")
        assert [frame["type"] for frame in seen] == ["join", "userlist"]


async def test_each_persona_is_introduced_to_the_newcomer_alone() -> None:
    """§5.2 — 2. persona    x N (un par persona active, avec nick + color)
    §5.2 — Detail persona (un message par persona, send au client uniquement)
    §5.7 — persona: Envoye a la connexion (unicast, un par persona active)
    """
    async with house(personas=CAST) as place:
        other, newcomer = await place.enter("bob"), await place.enter("ana")
        assert newcomer.welcome[1:4] == [
            {"type": "persona", "nick": "Schaeffer", "color": "#4fc3f7"},
            {"type": "persona", "nick": "Batty", "color": "#ef5350"},
            {"type": "persona", "nick": "Radigue", "color": "#4fc3f7"},
        ]
        assert "persona" not in {frame["type"] for frame in await other.so_far()}


async def test_the_others_are_told_that_somebody_joined_and_the_newcomer_is_not() -> None:
    """§5.2 — 3. join       broadcast aux autres clients du canal (exclut le nouveau)
    §5.2 — Detail join (broadcast a tout le canal, excluant le nouveau client)
    §5.7 — join: Broadcast a tout le canal, excluant le nouveau client.
    """
    async with house(personas=CAST) as place:
        other, newcomer = await place.enter("bob"), await place.enter()
        join = await other.next()
        assert join == {
            "type": "join",
            "nick": "user_1",
            "channel": "#general",
            "text": "user_1 a rejoint #general",
            "seq": 3,
        }
        assert "join" not in {f["type"] for f in newcomer.welcome + await newcomer.so_far()}


async def test_another_channel_hears_nothing_of_a_newcomer() -> None:
    """§5.2 — 3. join       broadcast aux autres clients du canal (exclut le nouveau)"""
    async with house(personas=()) as place:
        other = await place.enter("bob")
        await other.command("/join #ailleurs")
        await other.until_text("Canal change")
        await place.enter("ana")
        assert "ana" not in str(await other.so_far())


async def test_the_newcomer_gets_the_list_of_people_and_personas_without_a_seq() -> None:
    """§5.2 — 4. userlist   envoye uniquement au nouveau client (connectes + personas)
    §5.2 — Detail userlist (send au client uniquement, pas de seq)
    §5.2 — La userlist inclut tous les clients connectes au canal + toutes les personas actives.
    """
    async with house(personas=CAST) as place:
        await place.enter("bob")
        newcomer = await place.enter("ana")
        assert newcomer.welcome[4] == {
            "type": "userlist",
            "users": ["bob", "ana", "Schaeffer", "Batty", "Radigue"],
        }


async def test_the_history_is_replayed_between_two_lines_with_the_hour_of_each_message() -> None:
    """§5.2 — 5. message*   history replay (20 derniers messages du context store)
    §5.2 — Envoye un system "--- Historique recent ---"
    §5.2 — Chaque entree est envoyee comme message avec timestamp [HH:MM] prefixe
    §5.2 — Termine par system "--- Fin de l'historique ---"
    """
    store = await stocked(said("ana", "salut"), said("Batty", "J'ai vu.", 1))
    async with house(personas=CAST, store=store, clock=FrozenClock()) as place:
        newcomer = await place.enter("bob")
        assert newcomer.welcome[5:] == [
            {"type": "system", "text": "--- Historique recent ---"},
            {"type": "message", "nick": "ana", "text": "[10:05] salut", "color": "#888888"},
            {"type": "message", "nick": "Batty", "text": "[10:06] J'ai vu.", "color": "#ef5350"},
            {"type": "system", "text": "--- Fin de l'historique ---"},
        ]


async def test_a_replayed_persona_has_its_colour_and_anybody_else_is_grey() -> None:
    """§5.2 — Couleur: celle de la persona si le nick correspond, sinon #888888"""
    store = await stocked(said("Schaeffer", "a"), said("Merzbow", "b"), said("user_1", "c"))
    async with house(personas=CAST, store=store) as place:
        replayed = (await place.enter()).welcome[6:-1]
        assert [frame["color"] for frame in replayed] == ["#4fc3f7", "#888888", "#888888"]


async def test_the_hour_is_that_of_the_machine() -> None:
    """§5.2 — Chaque entree est envoyee comme message avec timestamp [HH:MM] prefixe"""
    clock = FrozenClock(zone=timezone(timedelta(hours=2)))
    async with house(personas=(), store=await stocked(said("ana", "a")), clock=clock) as place:
        assert (await place.enter()).welcome[-2]["text"] == "[12:05] a"


async def test_the_newest_20_messages_are_replayed_oldest_first() -> None:
    """§5.2 — 5. message*   history replay (20 derniers messages du context store)"""
    store = await stocked(*(said("ana", f"n{number}") for number in range(25)))
    async with house(personas=(), store=store) as place:
        replayed = (await place.enter()).welcome[3:-1]
        assert [f["text"] for f in replayed] == [f"[10:05] n{number}" for number in range(5, 25)]


async def test_without_history_nothing_is_said_of_it() -> None:
    """§5.2 — Detail history replay (si contextStore est disponible)"""
    store = await stocked(said("ana", "ailleurs", channel="#autre"))
    async with house(personas=(), store=store) as place:
        assert [frame["type"] for frame in (await place.enter()).welcome] == ["system", "userlist"]


async def test_the_history_is_the_end_of_the_channels_file(tmp_path: Path) -> None:
    """§5.2 — Lit data/context/<channel_safe>.jsonl (derniers 20 lignes)"""
    context = tmp_path / "context" / "_general.jsonl"
    context.parent.mkdir()
    line = '{{"ts":"2026-03-20T09:00:00.000Z","nick":"ana","text":"n{}","type":"message"}}\n'
    context.write_text("".join(line.format(number) for number in range(30)))
    store = await JsonlMessageStore.open(tmp_path, RecordingTelemetry())
    async with house(personas=(), store=store, clock=FrozenClock(), data_dir=tmp_path) as place:
        replayed = (await place.enter("bob")).welcome[3:-1]
        assert [f["text"] for f in replayed] == [f"[09:00] n{number}" for number in range(10, 30)]


async def test_what_is_said_and_answered_is_the_next_newcomers_history() -> None:
    """§5.2 — 5. message*   history replay (20 derniers messages du context store)"""
    async with house("Oui.", personas=CAST, clock=FrozenClock()) as place:
        ana = await place.enter("ana")
        await ana.say("@Batty tu es là ?")
        await ana.until(lambda frame: is_final(frame, "Batty"))
        told = (await place.enter("bob")).welcome[6:-1]
        assert [(f["nick"], f["text"]) for f in told] == [
            ("ana", "[10:00] @Batty tu es là ?"),
            ("Batty", "[10:00] Oui."),
        ]


async def test_nothing_comes_between_the_list_and_the_end_of_the_history() -> None:
    """§5.2 — A la connexion, le serveur envoie les messages suivants dans cet ordre exact"""
    store = await stocked(*(said("bob", f"n{number}") for number in range(20)))
    async with house(personas=(), store=store) as place:
        bob = await place.enter("bob")
        await bob.say("pendant")
        ana = await place.enter("ana")
        own = next(index for index, frame in enumerate(ana.welcome) if is_own_list(frame))
        assert all("seq" not in frame for frame in ana.welcome[own : own + 23])


async def test_a_client_is_told_where_it_is_when_that_is_not_general() -> None:
    """§5.7 — channelInfo: { type: "channelInfo", channel } (at the end of the handshake: added)"""
    async with house(default_channel="#accueil") as place:
        ana = await place.enter("ana")
        assert ana.welcome[-1] == {"type": "channelInfo", "channel": "#accueil"}
    async with house() as place:
        ana = await place.enter("ana")
        assert "channelInfo" not in [frame["type"] for frame in ana.welcome]
