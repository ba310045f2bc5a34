"""Seed 000 §13: commands in general, /help, /nick, /who, /personas."""

from tests.support.rooms import BATTY, SCHAEFFER, House, house, is_own_list, texts

from palabre.testing.models import ScriptedProvider
from palabre.testing.personas import a_persona

PERSONA_LINE = "@NomPersona                        — interpeller une persona directement"


# --- commands in general ------------------------------------------------------------------------


async def test_the_name_of_a_command_is_its_first_word_in_any_case() -> None:
    """§13 — Le texte du message command est split par whitespace; parts[0] est le nom (case-insensitive)"""
    async with house(personas=()) as place:
        ana = await place.enter("ana")
        for line in ("/WHO", "/Who please", " /who\t"):
            assert is_own_list(await ana.answer(line))


async def test_an_unknown_command_is_answered_with_its_name() -> None:
    """§13 — Les commandes non reconnues recoivent: "Commande inconnue: <cmd>. Tape /help." """
    async with house(personas=()) as place:
        ana, bob = await place.company("ana", "bob")
        told = await ana.answer("/quit maintenant")
        assert told == {"type": "system", "text": "Commande inconnue: /quit. Tape /help."}
        assert await bob.so_far() == []


async def test_model_and_persona_are_unknown() -> None:
    """§13 — /model et /persona n'ont pas de handler implemente — "Commande inconnue"
    §13.1 — -- /model aucun non implemente (default handler)
    §13.1 — -- /persona aucun non implemente (default handler)
    """
    async with house() as place:
        ana = await place.enter("ana")
        for name in ("/model", "/persona"):
            told = await ana.answer(name)
            assert told["text"] == f"Commande inconnue: {name}. Tape /help."


async def test_personas_do_not_answer_commands() -> None:
    """§13 — Le texte du message command est split par whitespace"""
    async with house("Oui.") as place:
        ana = await place.enter("ana")
        await ana.command("/quoi @Batty")
        await ana.so_far()
        assert place.provider.requests == []


# --- /help --------------------------------------------------------------------------------------


async def test_help_lists_the_17_commands_and_how_to_speak_to_a_persona() -> None:
    """§13.1 — 1 /help aucun system unicast
    §13.2 — /help: texte multi-lignes listant toutes les commandes
    §13.2 — /help: === Commandes disponibles ===
    """
    async with house() as place:
        ana, bob = await place.company("ana", "bob")
        told = await ana.answer("/help")
        assert told["type"] == "system"
        title, *lines, last = told["text"].split("\n")
        assert (title, last) == ("=== Commandes disponibles ===", PERSONA_LINE)
        assert lines[0] == "/help                              — cette aide"
        assert "/clear                             — efface le chat" in lines
        assert "/nick <pseudo>                     — change ton pseudo" in lines
        names = [line.split()[0].removeprefix("/") for line in lines]
        seeds = [
            "help",
            "nick",
            "who",
            "personas",
            "web",
            "clear",
            "status",
            "models",
            "context",
            "memory",
            "export",
            "responders",
            "imagine",
            "compose",
            "join",
            "channels",
            "reload",
        ]
        assert set(seeds) <= set(names)
        assert names[-1] == "stop"
        assert {line[35] for line in lines} == {"—"}
        assert await bob.so_far() == []


# --- /nick --------------------------------------------------------------------------------------


async def test_a_new_nick_is_told_to_the_channel_with_a_new_list() -> None:
    """§13.1 — 2 /nick <nom> system broadcast
    §13.2 — /nick: Succes: "<ancien> est maintenant connu(e) comme <nouveau>" + userlist broadcast
    """
    async with house(personas=(BATTY,)) as place:
        ana, bob = await place.company("ana", "bob")
        await ana.command("/nick Zoé")
        line = {"type": "system", "text": "ana est maintenant connu(e) comme Zoé", "seq": 5}
        users = {"type": "userlist", "users": ["Zoé", "bob", "Batty"], "seq": 6}
        for client in (ana, bob):
            assert await client.until(lambda f: f["type"] == "userlist") == [line, users]
        await ana.say("c'est moi")
        assert (await bob.next())["nick"] == "Zoé"


async def test_a_nick_has_2_to_24_characters() -> None:
    """§13.2 — /nick: Validation: 2-24 caracteres
    §13.2 — /nick: Erreur si absent/invalide: "Usage: /nick <nom> (2-24 caracteres)"
    """
    async with house(personas=()) as place:
        ana, bob = await place.company("ana", "bob")
        for line in ("/nick", "/nick a", "/nick " + "a" * 25, "/nick \t "):
            told = await ana.answer(line)
            assert told == {"type": "system", "text": "Usage: /nick <nom> (2-24 caracteres)"}
        assert await bob.so_far() == []
        for nick in ("zz", "a" * 24):
            await ana.command(f"/nick {nick}")
            assert (await ana.until_text("connu(e)"))[-1]["text"].endswith(f" comme {nick}")


async def test_a_nick_is_taken_whatever_its_case_and_its_holders_channel() -> None:
    """§13.2 — /nick: unicite case-insensitive parmi les connectes
    §13.2 — /nick: Erreur si duplique: "Le pseudo \\"<nom>\\" est deja utilise."
    """
    async with house(personas=()) as place:
        ana, bob = await place.company("ana", "bob")
        await bob.command("/join #ailleurs")
        await bob.until_text("Canal change")
        told = await ana.answer("/nick BOB")
        assert told == {"type": "system", "text": 'Le pseudo "BOB" est deja utilise.'}


async def test_the_case_of_ones_own_nick_can_change() -> None:
    """§13.2 — /nick: unicite case-insensitive parmi les connectes"""
    async with house(personas=()) as place:
        ana = await place.enter("ana")
        await ana.command("/nick ANA")
        assert texts([await ana.next()]) == ["ana est maintenant connu(e) comme ANA"]


async def test_only_the_first_word_is_the_nick() -> None:
    """§13.2 — /nick: Syntaxe: /nick <nom>"""
    async with house(personas=()) as place:
        ana = await place.enter("ana")
        await ana.command("/nick zoe la grande")
        assert texts([await ana.next()]) == ["ana est maintenant connu(e) comme zoe"]


async def test_an_old_nick_is_free_again() -> None:
    """§13.2 — /nick: unicite case-insensitive parmi les connectes"""
    async with house(personas=()) as place:
        ana, bob = await place.company("ana", "bob")
        await ana.command("/nick zoe")
        await bob.until_text("connu(e)")
        await bob.command("/nick ana")
        assert (await ana.until_text("comme ana"))[-1]["text"].startswith("bob est")


# --- /who ---------------------------------------------------------------------------------------


async def test_who_lists_people_and_personas_to_the_asker_alone() -> None:
    """§13.1 — 3 /who aucun userlist unicast
    §13.2 — /who: { type: "userlist", users: [...] } (clients connectes + personas)
    """
    async with house(personas=(SCHAEFFER, BATTY)) as place:
        ana, bob = await place.company("ana", "bob")
        told = await ana.answer("/who")
        assert told == {"type": "userlist", "users": ["ana", "bob", "Schaeffer", "Batty"]}
        assert await bob.so_far() == []


async def test_who_lists_the_channel_one_is_in() -> None:
    """§13.2 — /who: { type: "userlist", users: [...] } (clients connectes + personas)"""
    async with house(personas=(BATTY,)) as place:
        ana, _ = await place.company("ana", "bob")
        await ana.command("/join #ailleurs")
        await ana.until_text("Canal change")
        await ana.command("/who")
        assert (await ana.until(is_own_list))[-1]["users"] == ["ana", "Batty"]


# --- /personas ----------------------------------------------------------------------------------


async def personas_told(place: House) -> str:
    ana = await place.enter("ana")
    told = await ana.answer("/personas")
    assert told["type"] == "system"
    return told["text"]


async def test_personas_are_listed_with_their_model_and_the_start_of_their_prompt() -> None:
    """§13.1 — 4 /personas aucun system unicast
    §13.2 — /personas: Schaeffer (qwen3:8b) — Tu es Pierre Schaeffer, inventeur de la musiqu...
    §13.2 — /personas: Format: <nick> (<model>) — <systemPrompt truncated to 60 chars>... (indente de 2 espaces)
    """
    long = "Tu es Pierre Schaeffer, inventeur de la musique concrete et du reste."
    cast = (a_persona("Schaeffer", prompt=long), a_persona("Batty", prompt="Court."))
    async with house(personas=cast) as place:
        assert await personas_told(place) == (
            "  Schaeffer (qwen3:8b) — "
            "Tu es Pierre Schaeffer, inventeur de la musique concrete et ...\n"
            "  Batty (qwen3:8b) — Court...."
        )


async def test_a_model_that_is_not_installed_is_told_with_its_stand_in() -> None:
    """§13.2 — /personas: une ligne par persona"""
    cast = (a_persona("Batty", model="mistral:7b"),)
    async with house(personas=cast) as place:
        assert (await personas_told(place)).split("\n") == [
            "  Batty (mistral:7b) — Tu es Batty....",
            "  Modèles non installés : mistral:7b — ollama/qwen3:8b répond à leur place.",
        ]


async def test_personas_are_listed_though_no_model_answers() -> None:
    """§13.2 — /personas: une ligne par persona"""
    provider = ScriptedProvider(name="ollama", models=())
    provider.down = "Ollama does not answer"
    async with house(personas=(BATTY,), provider=provider) as place:
        first, second = (await personas_told(place)).split("\n")
        assert first == "  Batty (qwen3:8b) — Tu es Batty...."
        assert "Ollama does not answer" in second


async def test_without_personas_the_way_to_add_one_is_told() -> None:
    """§13.2 — /personas: une ligne par persona"""
    async with house(personas=()) as place:
        assert (await personas_told(place)).startswith("Aucune persona.")
