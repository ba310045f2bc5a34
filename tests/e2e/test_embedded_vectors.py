"""The embedded embedder for real: near texts are near, far ones far, in French."""

import asyncio
import time
from collections.abc import AsyncIterator

import numpy as np
import pytest

from palabre.app.clock import SystemClock
from palabre.app.models import build_registry
from palabre.app.settings import load_settings
from palabre.core.models.model import Capability
from palabre.core.models.registry import ModelRegistry

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]

THRESHOLD = 0.3
NOWHERE = "http://127.0.0.1:9"
WANTED = {"models.ollama.url": NOWHERE, "models.embedded.threads": 1}
BREAD = "La pâte repose trois heures à température ambiante, jusqu'à doubler de volume."
PAIRS = [
    (
        "Comment s'appelle le chat de Marie ?",
        "Le chat de Marie s'appelle Minou et dort sur le piano.",
    ),
    (
        "À quelle heure ouvre la boulangerie ?",
        "La boulangerie ouvre à six heures et demie tous les jours sauf le lundi.",
    ),
    (
        "Combien de temps faut-il laisser lever la pâte à pain ?",
        "La pâte repose trois heures à température ambiante, jusqu'à doubler de volume.",
    ),
    (
        "Qui a inventé la musique concrète ?",
        "Pierre Schaeffer invente la musique concrète en 1948 dans les studios de la radio.",
    ),
    (
        "Comment arroser une orchidée ?",
        "On trempe le pot de l'orchidée dix minutes dans l'eau une fois par semaine, puis on l'égoutte.",
    ),
    (
        "Que faire si la chaudière s'éteint ?",
        "En cas d'arrêt de la chaudière, vérifier la pression d'eau puis appuyer sur le bouton de réarmement.",
    ),
    (
        "Quel est le tarif de location de la salle ?",
        "La grande salle se loue 120 euros la journée pour les associations.",
    ),
    (
        "Où ranger les câbles après le concert ?",
        "Les câbles sont enroulés et rangés dans la caisse bleue derrière la scène.",
    ),
    (
        "Comment changer une chambre à air ?",
        "Pour remplacer la chambre à air, démontez la roue et sortez le pneu avec deux démonte-pneus.",
    ),
    (
        "Quand a lieu l'assemblée générale ?",
        "L'assemblée générale annuelle se tient le deuxième samedi de mars.",
    ),
    (
        "Qu'est-ce que le cyberféminisme ?",
        "Le cyberféminisme mêle critique des techniques et pensée féministe des réseaux.",
    ),
    (
        "Comment sauvegarder le serveur ?",
        "Chaque nuit une copie du serveur est envoyée sur un disque externe chiffré.",
    ),
    (
        "Quels sont les horaires de la bibliothèque ?",
        "La bibliothèque accueille le public du mardi au samedi de dix heures à dix-huit heures.",
    ),
    (
        "Comment nourrir un levain ?",
        "On rafraîchit le levain avec autant de farine que d'eau, deux fois par jour.",
    ),
    (
        "Peut-on laver la laine en machine ?",
        "La laine se lave à la main, à froid, sans la tordre.",
    ),
    (
        "Où se trouve l'extincteur ?",
        "Un extincteur à eau est accroché à l'entrée de l'atelier, à gauche de la porte.",
    ),
    (
        "Quelle est la capitale de l'Italie ?",
        "Rome est la capitale de l'Italie depuis 1871.",
    ),
    (
        "Comment traiter une piqûre d'abeille ?",
        "Après une piqûre, retirer le dard et appliquer du froid sur la peau.",
    ),
    (
        "Combien de membres compte le bureau ?",
        "Le bureau de l'association est composé de sept membres élus.",
    ),
    (
        "Comment régler la table de mixage ?",
        "Sur la console de mixage, on règle d'abord le gain, puis l'égaliseur, puis les retours.",
    ),
]


@pytest.fixture
async def registry() -> AsyncIterator[ModelRegistry]:
    made = build_registry(load_settings(cli=WANTED).settings, SystemClock())
    yield made
    await made.aclose()


async def test_without_ollama_the_embedded_embedder_answers(registry: ModelRegistry) -> None:
    info = await registry.resolve_embedder("nomic-embed-text")
    assert info.ref == "embedded/multilingual-e5-small"
    assert info.capabilities == {Capability.EMBED}


async def test_the_threshold_keeps_related_texts_and_drops_the_others(
    registry: ModelRegistry,
) -> None:
    ref = (await registry.resolve_embedder("nomic-embed-text")).ref
    questions = np.array(await registry.embed(ref, [each for each, _ in PAIRS], "question"))
    passages = np.array(await registry.embed(ref, [each for _, each in PAIRS]))
    cosines = questions @ passages.T
    related = cosines.diagonal()
    unrelated = cosines[~np.eye(len(PAIRS), dtype=bool)]
    assert np.mean(related >= THRESHOLD) >= 0.9
    assert np.mean(unrelated >= THRESHOLD) <= 0.05
    assert np.mean(cosines.argmax(1) == np.arange(len(PAIRS))) >= 0.95


async def test_small_talk_finds_nothing_in_a_text_about_bread(registry: ModelRegistry) -> None:
    ref = (await registry.resolve_embedder("nomic-embed-text")).ref
    (hello, thanks) = await registry.embed(
        ref, ["Bonjour, ça va ?", "Merci, bonne soirée !"], "question"
    )
    (bread,) = await registry.embed(ref, [BREAD])
    assert np.dot(hello, bread) < THRESHOLD
    assert np.dot(thanks, bread) < THRESHOLD


async def test_the_event_loop_goes_on_while_vectors_are_made(registry: ModelRegistry) -> None:
    ref = (await registry.resolve_embedder("nomic-embed-text")).ref
    longest_s = [await _longest_turn_s(registry, ref) for _ in range(3)]
    assert min(longest_s) < 0.25  # 50 ms on a quiet machine; tests share theirs


async def _longest_turn_s(registry: ModelRegistry, ref: str) -> float:
    longest_s = 0.0
    task = asyncio.create_task(registry.embed(ref, [BREAD * 4] * 3))
    while not task.done():
        before_s = time.perf_counter()
        await asyncio.sleep(0.005)
        longest_s = max(longest_s, time.perf_counter() - before_s)
    assert len(await task) == 3
    return longest_s
