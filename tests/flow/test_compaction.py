"""A channel that has grown is summarised while people talk in it."""

import asyncio
import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

from tests.support.rooms import house, is_final

from palabre.adapters.storage.jsonl.messages import JsonlMessageStore
from palabre.core.chat.model import Utterance
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.clock import FrozenClock
from palabre.testing.models import Answer, ScriptedProvider
from palabre.testing.telemetry import RecordingTelemetry

GENERAL = ChannelName("#general")
NOW = datetime(2026, 3, 20, 10, tzinfo=UTC)
SUMMARY = "Ana et Bob parlent de décor, de planches, de peinture et de samedi."
MESSAGES = 900


async def grown(data_dir: Path) -> JsonlMessageStore:
    store = await JsonlMessageStore.open(data_dir, RecordingTelemetry())
    async with asyncio.TaskGroup() as tasks:
        for number in range(MESSAGES):
            words = f"{number} décor planches peinture samedi " + "é" * 600
            tasks.create_task(store.append(Utterance(NOW, GENERAL, Nick("bob"), words)))
    return store


def said(data_dir: Path) -> list[str]:
    archives = sorted((data_dir / "context/archive").glob("*.gz"))
    packed = b"".join(gzip.decompress(each.read_bytes()) for each in archives)
    lines = packed + (data_dir / "context/_general.jsonl").read_bytes()
    return [json.loads(line)["text"] for line in lines.splitlines()]


async def until_compacted(data_dir: Path) -> None:
    async with asyncio.timeout(30):
        while not (data_dir / "context/_general.summary.json").exists():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_the_context_page_comes_true_and_no_word_is_lost(tmp_path: Path) -> None:
    store = await grown(tmp_path)
    provider = ScriptedProvider(SUMMARY, name="ollama", models=("qwen3:8b",))
    async with house(
        provider=provider,
        store=store,
        clock=FrozenClock(NOW),
        context={"check_every_s": 0.3},
    ) as place:
        ana = await place.enter("ana")
        await until_compacted(tmp_path)
        provider.script("Bien sûr.")
        await ana.say("@Batty tu te souviens ?")
        await ana.until(lambda frame: is_final(frame, "Batty"))
        page = (await ana.answer("/context"))["text"]
        kept = MESSAGES // 5 + 2
        assert f"Messages stockes: {kept}\n" in page
        assert "Compacte: oui\n  Entries compactees: 720\n  Compactions: 1\n" in page
        assert "  Derniere compaction: 2026-03-20T10:00:00.000Z\n" in page
        asked = provider.requests[-1].messages[-1].content
        assert f"Résumé: {SUMMARY}" in asked
        assert "899 décor" in asked
        export = (await ana.answer("/export"))["text"]
        assert f"Résumé: {SUMMARY}" in export or SUMMARY in export
        assert await figure(place.http_url, "palabre_loop_held_up_total") <= 1
    numbers = [int(text.split()[0]) for text in said(tmp_path)[:MESSAGES]]
    assert sorted(numbers) == list(range(MESSAGES))
    assert said(tmp_path)[MESSAGES:] == ["@Batty tu te souviens ?", "Bien sûr."]


async def test_messages_go_on_while_a_model_summarises_and_when_it_fails(tmp_path: Path) -> None:
    store = await grown(tmp_path)
    gate = asyncio.Event()
    provider = ScriptedProvider(
        Answer(("Je ne sais pas.",), gate=gate), name="ollama", models=("qwen3:8b",)
    )
    async with house(provider=provider, store=store, context={"check_every_s": 0.05}) as place:
        ana = await place.enter("ana")
        async with asyncio.timeout(30):
            while not provider.open_calls:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        await ana.command("/nick Anouk")
        await ana.say("Personne ?")
        await ana.until_text("Personne ?")
        gate.set()
        async with asyncio.timeout(30):
            while not await figure(place.http_url, "palabre_compactions_failed_total"):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        page = (await ana.answer("/context"))["text"]
        assert "Compacte: non" in page
        assert not (tmp_path / "context/archive").exists()
    assert len(said(tmp_path)) >= MESSAGES + 1


async def figure(url: str, name: str) -> float:
    reader, writer = await asyncio.open_connection(*url.removeprefix("http://").split(":"))
    writer.write(b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    answer = (await reader.read()).decode()
    writer.close()
    rows = [line.rsplit(" ", 1) for line in answer.splitlines() if line.startswith(f"{name} ")]
    return float(rows[0][1]) if rows else 0.0
