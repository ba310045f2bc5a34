"""Seed 000 §13: /status, /models, /context, /memory, /export."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.support.rooms import BATTY, SCHAEFFER, house, is_final

from palabre.adapters.storage.jsonl.messages import JsonlMessageStore
from palabre.core.chat.model import ChannelStats, StoreTotals, Utterance
from palabre.core.models.model import ModelInfo
from palabre.core.telemetry.ports import GpuUse
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.clock import FrozenClock
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.models import ScriptedProvider
from palabre.testing.telemetry import RecordingTelemetry, StillMachine

GB = 1024**3
MODELS = (
    ModelInfo("ollama", "qwen3:8b", size_bytes=int(4.5 * GB), loaded=True),
    ModelInfo("ollama", "nomic-embed-text", size_bytes=274 * 1024**2),
)

# --- /status ------------------------------------------------------------------------------------

STATUS = r"""=== Statut serveur ===
Uptime: 2h34m12s
Utilisateurs connectes: 2
Personas actives: 3
Max repondeurs: 2
Modeles charges: 2
  - qwen3:8b \(4\.5GB\)
  - nomic-embed-text \(274\.0MB\)
(VRAM: \d+MB / \d+MB \(GPU util: \d+%\)
)?Requetes HTTP: \d+ \(avg \d+\.\dms, max \d+\.\dms\)
Memoire RSS: [1-9]\d*MB"""


async def test_status_tells_how_the_server_is_doing() -> None:
    """§13.1 — 7 /status aucun system unicast
    §13.2 — /status: === Statut serveur ===
    §13.2 — /status: Uptime: 2h34m12s
    §13.2 — /status: Modeles charges: 3
    §13.2 — /status: Requetes HTTP: 1234 (avg 12.3ms, max 89.0ms)
    """
    clock = FrozenClock()
    provider = ScriptedProvider(name="ollama", models=MODELS)
    async with house(provider=provider, clock=clock) as place:
        ana, bob = await place.company("ana", "bob")
        clock.advance(2 * 3600 + 34 * 60 + 12.9)
        told = await ana.answer("/status")
        assert told["type"] == "system"
        assert re.fullmatch(STATUS, told["text"]), told["text"]
        assert await bob.so_far() == []


async def test_status_tells_of_a_graphics_card() -> None:
    """§13.2 — /status: Sources: process.uptime(), Ollama /api/tags, nvidia-smi (timeouts 2s chacun)"""
    async with house(machine=StillMachine(GpuUse(8192, 24564, 45))) as place:
        ana = await place.enter("ana")
        lines = (await ana.answer("/status"))["text"].splitlines()
        assert "VRAM: 8192MB / 24564MB (GPU util: 45%)" in lines


async def test_status_answers_though_no_model_server_does() -> None:
    """§13.2 — /status: Sources: process.uptime(), Ollama /api/tags, nvidia-smi (timeouts 2s chacun)"""
    provider = ScriptedProvider(name="ollama", models=MODELS)
    provider.down = "Ollama does not answer"
    async with house(provider=provider) as place:
        ana = await place.enter("ana")
        assert "Modeles charges: 0\n" in (await ana.answer("/status"))["text"]


# --- /models ------------------------------------------------------------------------------------


async def test_models_tells_what_is_installed_and_what_is_loaded() -> None:
    """§13.1 — 8 /models aucun system unicast
    §13.2 — /models: === Modeles Ollama ===
    §13.2 — /models: liste des modeles installes + indicateur [CHARGE] pour ceux en VRAM
    """
    provider = ScriptedProvider(name="ollama", models=MODELS)
    async with house(provider=provider) as place:
        ana, bob = await place.company("ana", "bob")
        assert await ana.answer("/models") == {
            "type": "system",
            "text": (
                "=== Modeles Ollama ===\n"
                "2 modele(s) disponible(s), 1 charge(s):\n"
                "\n"
                "  qwen3:8b (4.5GB) [CHARGE]\n"
                "  nomic-embed-text (274.0MB)"
            ),
        }
        assert await bob.so_far() == []


async def test_models_answers_though_no_model_server_does() -> None:
    """§13.2 — /models: Sources: Ollama /api/tags + /api/ps (timeouts 3s)"""
    provider = ScriptedProvider(name="ollama", models=MODELS)
    provider.down = "Ollama does not answer"
    async with house(provider=provider) as place:
        ana = await place.enter("ana")
        told = (await ana.answer("/models"))["text"]
        assert told.startswith("=== Modeles Ollama ===\n0 modele(s) disponible(s), 0 charge(s):")


# --- /context -----------------------------------------------------------------------------------


class CompactedStore(MemoryMessageStore):
    """Says what the seed's example shows."""

    async def stats(self, channel: ChannelName) -> ChannelStats:
        return ChannelStats(142, 45230, 12, 3, datetime(2026, 3, 20, 10, tzinfo=UTC))

    async def totals(self) -> StoreTotals:
        return StoreTotals(3, int(0.12 * 1024 * 1024))


async def test_context_tells_how_much_of_the_channel_is_kept() -> None:
    """§13.1 — 9 /context aucun system unicast
    §13.2 — /context: === Context Store: #general ===
    §13.2 — /context: Compacte: oui
    §13.2 — /context: --- Global ---
    """
    async with house(store=CompactedStore()) as place:
        ana, bob = await place.company("ana", "bob")
        assert await ana.answer("/context") == {
            "type": "system",
            "text": (
                "=== Context Store: #general ===\n"
                "Messages stockes: 142\n"
                "Chars bruts: 45230\n"
                "Compacte: oui\n"
                "  Entries compactees: 12\n"
                "  Compactions: 3\n"
                "  Derniere compaction: 2026-03-20T10:00:00.000Z\n"
                "--- Global ---\n"
                "Canaux: 3\n"
                "Taille totale: 0.12 MB"
            ),
        }
        assert await bob.so_far() == []


async def test_context_counts_what_was_said_in_this_channel(tmp_path: Path) -> None:
    """§13.2 — /context: Messages stockes: 142
    §13.2 — /context: Chars bruts: 45230
    """
    store = await JsonlMessageStore.open(tmp_path, RecordingTelemetry())
    async with house("Oui.", store=store) as place:
        ana = await place.enter("ana")
        await ana.say("@Batty ?")
        await ana.until(lambda f: is_final(f, "Batty"))
        assert (await ana.answer("/context"))["text"] == (
            "=== Context Store: #general ===\n"
            "Messages stockes: 2\n"
            "Chars bruts: 12\n"
            "Compacte: non\n"
            "--- Global ---\n"
            "Canaux: 1\n"
            "Taille totale: 0.00 MB"
        )
        await ana.command("/join #vide")
        await ana.until_text("Canal change")
        assert "Messages stockes: 0\n" in (await ana.answer("/context"))["text"]


# --- /memory ------------------------------------------------------------------------------------

MEMORY = {
    "version": 2,
    "personaId": "schaeffer",
    "personaNick": "Schaeffer",
    "updatedAt": "2026-03-15T14:22:00.000Z",
    "workingMemory": {
        "facts": [
            "L'utilisateur s'interesse a la musique concrete",
            "Il travaille sur un projet Arduino",
            "Il connait les travaux de Xenakis",
        ],
        "summary": "Discussion autour de la synthese sonore et de l'electroacoustique",
        "lastSourceMessages": [],
    },
}
MEMORY_TEXT = """=== Memoire de Schaeffer ===

Faits retenus (3):
  1. L'utilisateur s'interesse a la musique concrete
  2. Il travaille sur un projet Arduino
  3. Il connait les travaux de Xenakis

Resume: Discussion autour de la synthese sonore et de l'electroacoustique

Derniere mise a jour: 2026-03-15T14:22:00.000Z"""


def write(path: Path, record: object) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(record))


async def test_memory_tells_what_a_persona_remembers(tmp_path: Path) -> None:
    """§13.1 — 10 /memory <persona> system unicast
    §13.2 — /memory: === Memoire de Schaeffer ===
    §13.2 — /memory: Source: data/v2-local/persona-memory/<personaId>.json
    """
    write(tmp_path / "v2-local" / "persona-memory" / "schaeffer.json", MEMORY)
    async with house(data_dir=tmp_path) as place:
        ana, bob = await place.company("ana", "bob")
        for name in ("Schaeffer", "schaeffer", "@Schaeffer", "SCHAEFFER"):
            assert await ana.answer(f"/memory {name}") == {"type": "system", "text": MEMORY_TEXT}
        assert await bob.so_far() == []


async def test_a_memory_of_an_earlier_installation_is_read(tmp_path: Path) -> None:
    """§13.2 — /memory: data/persona-memory/<nick>.json n'est plus qu'un miroir et une source de migration"""
    legacy = {
        "nick": "Schaeffer",
        **{key: MEMORY["workingMemory"][key] for key in ("facts", "summary")},
        "lastUpdated": MEMORY["updatedAt"],
    }
    write(tmp_path / "persona-memory" / "Schaeffer.json", legacy)
    async with house(data_dir=tmp_path) as place:
        ana = await place.enter("ana")
        assert (await ana.answer("/memory Schaeffer"))["text"] == MEMORY_TEXT


async def test_memory_needs_the_name_of_a_persona() -> None:
    """§13.2 — /memory: Erreur si absent: "Usage: /memory <nom_persona>"
    §13.2 — /memory: Erreur si introuvable: "Persona \\"<nom>\\" introuvable. Disponibles: <liste>"
    """
    async with house(personas=(SCHAEFFER, BATTY)) as place:
        ana = await place.enter("ana")
        assert (await ana.answer("/memory"))["text"] == "Usage: /memory <nom_persona>"
        assert (await ana.answer("/memory Bach"))["text"] == (
            'Persona "Bach" introuvable. Disponibles: Schaeffer, Batty'
        )


async def test_a_persona_without_memories_says_so() -> None:
    """§13.2 — /memory: Faits retenus (3)"""
    async with house() as place:
        ana = await place.enter("ana")
        assert (await ana.answer("/memory Batty"))["text"] == (
            "=== Memoire de Batty ===\n\nFaits retenus (0):\n  (aucun)\n\n"
            "Resume: (aucun)\n\nDerniere mise a jour: jamais"
        )


# --- /export ------------------------------------------------------------------------------------


async def test_export_gives_what_was_said_in_the_channel() -> None:
    """§13.1 — 11 /export aucun system unicast
    §13.2 — /export: header "# Export <channel> — <ISO timestamp>" + contenu du context store
    """
    async with house("Oui.", clock=FrozenClock()) as place:
        ana, bob = await place.company("ana", "bob")
        await ana.say("@Batty ?")
        await bob.until(lambda f: is_final(f, "Batty"))
        await ana.until(lambda f: is_final(f, "Batty"))
        told = await ana.answer("/export")
        assert told["type"] == "system"
        header, *lines = told["text"].split("\n")
        assert header == "# Export #general — 2026-03-20T10:00:00.000Z"
        assert [line.partition("] ")[2] for line in lines] == ["ana: @Batty ?", "Batty: Oui."]
        assert await bob.so_far() == []


async def test_export_gives_the_newest_100_000_characters() -> None:
    """§13.2 — /export: (budget 100 000 chars)"""
    store = MemoryMessageStore()
    start = datetime(2026, 3, 20, tzinfo=UTC)
    for number in range(60):
        at = start + timedelta(seconds=number)
        words = f"{number:02d}" * 1000
        await store.append(Utterance(at, ChannelName("#general"), Nick("bob"), words))
    async with house(store=store) as place:
        ana = await place.enter("ana")
        lines = (await ana.answer("/export"))["text"].split("\n")[1:]
        assert len(lines) == 50
        assert lines[0].endswith("10" * 1000)
        assert lines[-1].endswith("59" * 1000)


async def test_an_empty_channel_has_nothing_to_export() -> None:
    """§13.2 — /export: Erreur si vide: "Aucun historique disponible pour ce canal." """
    async with house() as place:
        ana = await place.enter("ana")
        assert await ana.answer("/export") == {
            "type": "system",
            "text": "Aucun historique disponible pour ce canal.",
        }
