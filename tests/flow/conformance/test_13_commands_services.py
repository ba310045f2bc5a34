"""Seed 000 §13: /web, /imagine, /compose, as far as this version has them."""

from tests.support.rooms import house, texts


async def test_web_needs_something_to_search_for() -> None:
    """§13.1 — 5 /web <query>
    §13.2 — /web: Erreur si query vide: "Usage: /web <recherche>"
    """
    async with house() as place:
        ana, bob = await place.company("ana", "bob")
        for line in ("/web", "/web  \t"):
            assert await ana.answer(line) == {"type": "system", "text": "Usage: /web <recherche>"}
        assert await bob.so_far() == []


async def test_a_search_without_a_service_fails_in_the_seeds_words() -> None:
    """§13.2 — /web: 1. system unicast — "Recherche: <query>..."
    §13.2 — /web: Erreur: system unicast — "Recherche échouée: <message>"
    §14 — Pas d'ouverture internet par defaut
    """
    async with house() as place:
        ana, bob = await place.company("ana", "bob")
        await ana.command("/web musique concrete Pierre Schaeffer")
        searching, failed = texts(await ana.so_far())
        assert searching == "Recherche: musique concrete Pierre Schaeffer..."
        assert failed.startswith("Recherche échouée: aucun moteur de recherche n'est configuré")
        assert await bob.so_far() == []


async def test_imagine_needs_a_description() -> None:
    """§13.1 — 13 /imagine <prompt>
    §13.2 — /imagine: Erreur si prompt vide: "Usage: /imagine <description de l'image>"
    """
    async with house() as place:
        ana = await place.enter("ana")
        told = await ana.answer("/imagine ")
        assert told == {"type": "system", "text": "Usage: /imagine <description de l'image>"}


async def test_a_picture_without_a_service_fails_in_the_seeds_words() -> None:
    """§13.2 — /imagine: Erreur: system unicast — "Erreur ComfyUI: <message>"
    §14 — Pas d'ouverture internet par defaut
    """
    async with house() as place:
        ana, bob = await place.company("ana", "bob")
        told = texts([await ana.answer("/imagine dystopian cityscape")])[0]
        assert told.startswith("Erreur ComfyUI: aucun serveur d'images ComfyUI n'est configuré")
        assert await bob.so_far() == []


async def test_compose_needs_a_description() -> None:
    """§13.1 — 14 /compose <prompt>[, <dur>s]
    §13.2 — /compose: Erreur si prompt vide: "Usage: /compose <description musicale>"
    """
    async with house() as place:
        ana = await place.enter("ana")
        told = await ana.answer("/compose")
        assert told == {"type": "system", "text": "Usage: /compose <description musicale>"}


async def test_music_without_a_service_says_what_is_missing() -> None:
    """§14 — Pas d'ouverture internet par defaut"""
    async with house() as place:
        ana, bob = await place.company("ana", "bob")
        told = texts([await ana.answer("/compose ambient drone, 45s")])[0]
        assert told.startswith("Composition impossible : aucun service de musique")
        assert await bob.so_far() == []
