"""The tiny model, fetched for real, draws a lesson from five things that somebody says."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path

import pytest

from palabre.adapters.storage.json_memories.store import JsonMemoryStore
from palabre.app.clock import SystemClock, SystemIds
from palabre.app.models import build_registry, first_weights
from palabre.app.personas import library_for
from palabre.app.settings import load_settings
from palabre.core.memory.keeper import MemoryKeeper
from palabre.core.memory.model import Exchange, MemoryPolicy
from palabre.kernel.clock import whole_ms
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.telemetry import RecordingTelemetry

pytestmark = [pytest.mark.e2e, pytest.mark.model, pytest.mark.timeout(600)]

WANTED = {
    "models.provider": "embedded",
    "models.embedded.tier": "tiny",
    "models.embedded.threads": 1,
    "models.embedded.context_tokens": 2048,
}
SAID = (
    "Bonjour, je m'appelle Camille et je joue du violoncelle",
    "J'habite à Marseille depuis trois ans",
    "Je prépare un concert de musique concrète pour le mois de juin",
    "Mon chat s'appelle Mouche",
    "Je travaille dans une imprimerie",
)


async def test_five_interactions_write_what_a_person_said(tmp_path: Path) -> None:
    settings = load_settings(cli=WANTED).settings
    registry = build_registry(settings, SystemClock())
    _ = [each async for each in first_weights(registry)]
    persona = (await library_for(settings).load()).named("Schaeffer")
    assert persona
    telemetry, clock = RecordingTelemetry(), SystemClock()
    async with asyncio.TaskGroup() as tasks:
        keeper = MemoryKeeper(
            tasks=tasks,
            store=JsonMemoryStore(tmp_path),
            models=registry,
            policy=MemoryPolicy(),
            telemetry=telemetry,
            clock=clock,
            ids=SystemIds(),
        )
        for number, words in enumerate(SAID):
            at = whole_ms(clock.now() + timedelta(seconds=number))
            keeper.note(
                persona, Exchange(Nick("camille"), ChannelName("#general"), at, words, "Écoutez.")
            )
    await registry.aclose()

    assert telemetry.counts["memory_updates", ""] == 1
    record = json.loads((tmp_path / "v2-local/persona-memory/schaeffer.json").read_text())
    mirror = json.loads((tmp_path / "persona-memory/Schaeffer.json").read_text())
    facts = record["workingMemory"]["facts"]
    print(json.dumps(record, ensure_ascii=False, indent=1))  # noqa: T201 - shown when it fails
    assert 1 <= len(facts) <= 5
    assert any(
        word in " ".join(facts).casefold()
        for word in ("violoncelle", "marseille", "concert", "mouche", "imprimerie")
    )
    assert record["workingMemory"]["lastSourceMessages"] == list(SAID)
    assert mirror["facts"] == record["compat"]["facts"] == facts
    assert {fact["author"] for fact in record["archivalMemory"]["facts"]} == {"camille"}
