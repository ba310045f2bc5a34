"""Seed 000 §13: /clear, /join, /channels, /responders, /reload."""

from datetime import UTC, datetime

from tests.support.rooms import BATTY, PHARMACIUS, SCHAEFFER, house, is_own_list, texts

from palabre.core.chat.model import Utterance
from palabre.core.personas.errors import Problem
from palabre.core.personas.model import Cast
from palabre.kernel.errors import SetupError
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.personas import a_persona

# --- /clear -------------------------------------------------------------------------------------


async def test_clear_empties_the_display_of_the_whole_channel_and_no_other() -> None:
    """§13.1 — 6 /clear aucun system broadcast (__clear__)
    §13.2 — /clear: { type: "system", text: "__clear__" }
    """
    async with house(personas=()) as place:
        ana, bob, ida = await place.company("ana", "bob", "ida")
        await ida.command("/join #ailleurs")
        await ana.until(lambda f: f["type"] == "part")
        await ana.command("/clear now")
        for client in (ana, bob):
            told = (await client.until_text("__clear__"))[-1]
            assert (told["type"], told["text"]) == ("system", "__clear__")
        assert "__clear__" not in texts(await ida.so_far())


async def test_clear_forgets_nothing() -> None:
    """§13.2 — /clear: Le client detecte le sentinel __clear__ et efface l'affichage"""
    async with house(personas=()) as place:
        ana = await place.enter("ana")
        await ana.say("garde")
        await ana.command("/clear")
        await ana.until_text("__clear__")
        assert any("garde" in text for text in texts((await place.enter("bob")).welcome))


# --- /join --------------------------------------------------------------------------------------


async def test_who_joins_a_channel_leaves_the_other_one() -> None:
    """§13.1 — 15 /join #canal part/join broadcast + channelInfo/system unicast
    §13.2 — /join: 1. part broadcast sur l'ancien canal + userlist broadcast ancien canal
    §13.2 — /join: 2. join broadcast sur le nouveau canal + userlist broadcast nouveau canal
    §13.2 — /join: 3. channelInfo unicast — { type: "channelInfo", channel: "#nouveau" }
    §13.2 — /join: 4. system unicast — "Canal change: #nouveau"
    """
    async with house(personas=(BATTY,)) as place:
        ana, bob, ida = await place.company("ana", "bob", "ida")
        await ida.command("/join #nouveau")
        await ida.until_text("Canal change")
        await ana.until(lambda f: f.get("users") == ["ana", "bob", "Batty"])
        await ida.quiet(0.3)
        ida.take()
        await bob.so_far()

        await bob.command("/join #nouveau")
        own = await bob.until_text("Canal change")
        assert own == [
            {"type": "userlist", "users": ["ida", "bob", "Batty"], "seq": 4},
            {"type": "channelInfo", "channel": "#nouveau"},
            {"type": "system", "text": "Canal change: #nouveau"},
        ]
        left = await ana.until(lambda f: f["type"] == "userlist")
        assert [(f["type"], f.get("text"), f.get("users")) for f in left] == [
            ("part", "bob a quitte #general", None),
            ("userlist", None, ["ana", "Batty"]),
        ]
        joined = await ida.until(lambda f: f["type"] == "userlist")
        assert joined == [
            {
                "type": "join",
                "nick": "bob",
                "channel": "#nouveau",
                "text": "bob a rejoint #nouveau",
                "seq": 3,
            },
            {"type": "userlist", "users": ["ida", "bob", "Batty"], "seq": 4},
        ]


async def test_a_channel_name_has_2_to_30_characters_and_starts_with_a_hash() -> None:
    """§13.2 — /join: Validation: commence par #, 2-30 chars
    §13.2 — /join: Erreur format: "Usage: /join #nom-du-canal (2-30 chars, commence par #)"
    """
    async with house(personas=()) as place:
        ana, bob = await place.company("ana", "bob")
        for name in ("", "#", "general", "general#", "#" + "a" * 30):
            assert await ana.answer(f"/join {name}") == {
                "type": "system",
                "text": "Usage: /join #nom-du-canal (2-30 chars, commence par #)",
            }
        for name in ("#a", "#" + "a" * 29):
            await ana.command(f"/join {name}")
            assert (await ana.until_text("Canal change"))[-1]["text"] == f"Canal change: {name}"
        await bob.until(lambda f: f["type"] == "part")


async def test_a_channel_name_is_made_of_letters_digits_dash_and_underscore() -> None:
    """§13.2 — /join: regex /^#[a-zA-Z0-9_-]+$/
    §13.2 — /join: Erreur regex: "Nom de canal invalide (lettres, chiffres, - et _ uniquement)"
    """
    async with house(personas=()) as place:
        ana = await place.enter("ana")
        for name in ("#été", "#a.b", "##", "#a/b", "#../etc", "#a\u0000"):
            assert await ana.answer(f"/join {name}") == {
                "type": "system",
                "text": "Nom de canal invalide (lettres, chiffres, - et _ uniquement)",
            }
        await ana.command("/join #A-b_9 et la suite")
        assert (await ana.until_text("Canal change"))[-1]["text"] == "Canal change: #A-b_9"


async def test_what_was_said_in_a_channel_is_shown_to_who_joins_it() -> None:
    """§13.2 — /join: 4. system unicast — "Canal change: #nouveau" """
    store = MemoryMessageStore()
    at = datetime(2026, 3, 20, 9, 30, tzinfo=UTC)
    await store.append(Utterance(at, ChannelName("#nouveau"), Nick("bob"), "deja dit"))
    async with house(personas=(), store=store) as place:
        ana = await place.enter("ana")
        await ana.command("/join #nouveau")
        await ana.until_text("Canal change")
        assert len(await ana.until_text("--- Fin de l'historique ---")) == 3


async def test_an_answer_goes_to_the_channel_in_which_it_was_asked_for() -> None:
    """§13.2 — /join: 1. part broadcast sur l'ancien canal"""
    async with house("Oui.") as place:
        ana, bob = await place.company("ana", "bob")
        await ana.say("@Batty ?")
        await ana.command("/join #ailleurs")
        await ana.until_text("Canal change")
        seen = await bob.until(lambda f: f["type"] == "part")
        assert "Oui." in texts(seen)


# --- /channels ----------------------------------------------------------------------------------


async def test_channels_are_listed_with_the_fullest_first() -> None:
    """§13.1 — 16 /channels aucun system unicast
    §13.2 — /channels: liste triee par nombre de connectes
    §13.2 — /channels: Canaux actifs: / #general (3 connectes) / #musique (1 connecte)
    """
    async with house() as place:
        ana, *others = await place.company("ana", "bob", "ida", "leo")
        await ana.command("/join #musique")
        await ana.until_text("Canal change")
        told = (await others[0].answer("/channels"))["text"]
        assert told == "Canaux actifs:\n  #general (3 connectes)\n  #musique (1 connecte)"
        for client in others[:2]:
            await client.command("/join #musique")
            await client.until_text("Canal change")
        told = (await others[2].answer("/channels"))["text"]
        assert told == "Canaux actifs:\n  #musique (3 connectes)\n  #general (1 connecte)"


async def test_an_empty_channel_is_listed_no_more() -> None:
    """§13.2 — /channels: liste triee par nombre de connectes"""
    async with house() as place:
        ana = await place.enter("ana")
        await ana.command("/join #musique")
        await ana.until_text("Canal change")
        assert (await ana.answer("/channels"))["text"] == (
            "Canaux actifs:\n  #musique (1 connecte)"
        )


# --- /responders --------------------------------------------------------------------------------


async def test_the_number_of_responders_is_from_1_to_5() -> None:
    """§13.1 — 12 /responders <1-5> system broadcast
    §13.2 — /responders: Erreur si invalide: "Usage: /responders <1-5> (actuel: <n>)"
    """
    async with house() as place:
        ana, bob = await place.company("ana", "bob")
        for word in ("", "0", "6", "deux", "-1", "10", "2.5", "²"):
            told = await ana.answer(f"/responders {word}")
            assert told == {"type": "system", "text": "Usage: /responders <1-5> (actuel: 2)"}
        assert await bob.so_far() == []


async def test_a_new_number_of_responders_is_told_to_the_channel_and_followed() -> None:
    """§13.2 — /responders: Succes: "<nick> a change le nombre de repondeurs: <n> persona(s) max"
    §13.2 — /responders: Modifie currentMaxResponders en runtime
    """
    async with house("Oui.") as place:
        ana, bob = await place.company("ana", "bob")
        for count in (1, 3):
            await ana.command(f"/responders {count}")
            line = f"ana a change le nombre de repondeurs: {count} persona(s) max"
            assert (await bob.until_text("repondeurs"))[-1]["text"] == line
            await ana.say("@Batty @Schaeffer @Pharmacius ?")
            seen = await ana.so_far()
            assert line in texts(seen)
            assert sum(f.get("text") == "Oui." and f["type"] == "message" for f in seen) == count
        told = await ana.answer("/responders")
        assert told["text"] == "Usage: /responders <1-5> (actuel: 3)"


# --- /reload ------------------------------------------------------------------------------------


async def test_reload_reads_the_personas_again_and_tells_the_channel() -> None:
    """§13.1 — 17 /reload aucun system broadcast
    §13.2 — /reload: 1. system unicast — "Rechargement des personas..."
    §13.2 — /reload: 3. system broadcast — "Personas rechargees: <nick1>, <nick2>, ..."
    """
    async with house(personas=(SCHAEFFER, BATTY)) as place:
        ana, bob = await place.company("ana", "bob")
        place.library.cast = Cast((BATTY, PHARMACIUS))
        await ana.command("/reload")
        seen = await ana.until_text("Personas rechargees")
        assert seen[0] == {"type": "system", "text": "Rechargement des personas..."}
        assert seen[-1]["text"] == "Personas rechargees: Batty, Pharmacius"
        told = await bob.until_text("Personas rechargees")
        assert "Rechargement des personas..." not in texts(told)
        assert (await ana.answer("/who"))["users"] == ["ana", "bob", "Batty", "Pharmacius"]


async def test_new_personas_and_colours_are_introduced_to_all() -> None:
    """§13.2 — /reload: 2. Appel refreshPersonas()"""
    async with house(personas=(SCHAEFFER, BATTY)) as place:
        ana, bob = await place.company("ana", "bob")
        red = a_persona("Schaeffer", color="#ff0000")
        place.library.cast = Cast((red, BATTY, PHARMACIUS))
        await ana.command("/reload")
        seen = await bob.until_text("Personas rechargees")
        introduced = [(f["nick"], f["color"]) for f in seen if f["type"] == "persona"]
        assert introduced == [("Schaeffer", "#ff0000"), ("Pharmacius", "#00e676")]


async def test_a_reload_without_anybody_left_is_told_and_changes_nothing() -> None:
    """§13.2 — /reload: Erreur: system unicast — "Erreur rechargement: <message>" """

    class PersonaFilesError(SetupError):
        code = "persona_files"

    async with house(personas=(BATTY,)) as place:
        ana, bob = await place.company("ana", "bob")
        place.library.error = PersonaFilesError(count=1, problems="batty.toml : illisible")
        await ana.command("/reload")
        seen = await ana.so_far()
        assert texts(seen)[0] == "Rechargement des personas..."
        assert texts(seen)[1].startswith("Erreur rechargement: 1 erreur(s)")
        assert len(seen) == 2
        assert await bob.so_far() == []
        await ana.command("/who")
        assert (await ana.until(is_own_list))[-1]["users"] == ["ana", "bob", "Batty"]


async def test_a_file_that_is_left_out_is_told_to_the_caller_alone() -> None:
    """§13.2 — /reload: 3. system broadcast — "Personas rechargees: <nick1>, <nick2>, ..." """
    async with house(personas=(BATTY,)) as place:
        ana, bob = await place.company("ana", "bob")
        problem = Problem("ada.toml", "missing_key", {"key": "nick"})
        place.library.cast = Cast((BATTY, PHARMACIUS), problems=(problem,))
        await ana.command("/reload")
        seen = texts(await ana.until_text("ada.toml"))
        assert "Personas rechargees: Batty, Pharmacius" in seen
        assert seen[-1].splitlines()[1] == "ada.toml : il manque la clé nick."
        assert "ada.toml" not in "".join(texts(await bob.so_far()))


async def test_a_persona_that_was_edited_answers_as_it_is_now() -> None:
    """§13.2 — /reload: 2. Appel refreshPersonas()"""
    async with house("Oui.", personas=(BATTY,)) as place:
        ana = await place.enter("ana")
        place.library.cast = Cast((a_persona("Batty", prompt="Tu es neuf."),))
        await ana.command("/reload")
        await ana.say("@Batty ?")
        await ana.so_far()
        assert place.provider.requests[0].messages[0].content == "Tu es neuf."
