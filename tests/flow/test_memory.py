"""Five things said to a persona change what it remembers, as seed 000 §11 shows."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

from tests.support.rooms import Client, House, house, is_final

from palabre.testing.clock import FrozenClock
from palabre.testing.models import ScriptedProvider

NOW = datetime(2026, 3, 25, 18, 42, tzinfo=UTC)
AT = "2026-03-25T18:42:00.000Z"
MUSIC = "L'utilisateur s'interesse a la musique concrete"
ARDUINO = "Il travaille sur un projet Arduino"
SUMMARY = "Discussion autour de la synthesis sonore et de l'electroacoustique"
SAID = [
    "@Schaeffer Parlons de musique concrète",
    "@Schaeffer Je veux un patch Arduino pour du bruit",
    "@Schaeffer Mon projet est une synthèse sonore",
    "@Schaeffer Quel micro ?",
    "@Schaeffer Merci",
]
LESSON = json.dumps({"facts": [MUSIC, ARDUINO], "summary": SUMMARY})
SEEN = {"firstSeenAt": AT, "lastSeenAt": AT, "source": "chat"}
ORIGIN = {"author": "ana", "channel": "#general", "messageAt": AT}


async def until_there(path: Path) -> dict:
    async with asyncio.timeout(30):
        while not path.exists():  # noqa: ASYNC110, ASYNC240 - another thread writes it
            await asyncio.sleep(0.01)
    return json.loads(path.read_text())  # noqa: ASYNC240


async def talk(client: Client, *lines: str) -> None:
    for line in lines:
        await client.say(line)
        await client.until(lambda frame: is_final(frame, "Schaeffer"))


def lessons_asked(place: House) -> list[str]:
    return [
        request.messages[-1].content
        for request in place.provider.requests
        if request.answer_schema is not None
    ]


async def test_five_interactions_write_the_record_and_its_mirror(tmp_path: Path) -> None:
    answers = [*["Écoutez."] * 5, LESSON, "Oui."]
    async with house(*answers, data_dir=tmp_path, clock=FrozenClock(NOW)) as place:
        ana = await place.enter("ana")
        await talk(ana, *SAID[:4])
        record = tmp_path / "v2-local/persona-memory/schaeffer.json"
        assert not record.exists()
        await talk(ana, SAID[4])
        mirror = await until_there(tmp_path / "persona-memory/Schaeffer.json")
        found = json.loads(record.read_text())
        archived = found["archivalMemory"]["facts"]
        ids = [fact.pop("id") for fact in archived]
        assert len(set(ids)) == 2
        assert list(archived[0]) == ["text", *SEEN, *ORIGIN]
        compat = {"facts": [MUSIC, ARDUINO], "summary": SUMMARY, "lastUpdated": AT}
        expected = {
            "version": 2,
            "personaId": "schaeffer",
            "personaNick": "Schaeffer",
            "updatedAt": AT,
            "workingMemory": {
                "facts": [MUSIC, ARDUINO],
                "summary": SUMMARY,
                "lastSourceMessages": SAID,
            },
            "archivalMemory": {
                "facts": [{"text": MUSIC, **SEEN, **ORIGIN}, {"text": ARDUINO, **SEEN, **ORIGIN}],
                "summaries": [{"text": SUMMARY, "createdAt": AT}],
            },
            "compat": compat,
        }
        assert json.dumps(found) == json.dumps(expected)
        assert mirror == {"nick": "Schaeffer", **compat}
        assert list(mirror) == ["nick", "facts", "summary", "lastUpdated"]
        assert await_page(await ana.answer("/memory Schaeffer")) == [
            "=== Memoire de Schaeffer ===",
            "Faits retenus (2):",
            f"  1. {MUSIC}",
            f"  2. {ARDUINO}",
            f"Resume: {SUMMARY}",
            f"Derniere mise a jour: {AT}",
        ]
        await talk(ana, "@Schaeffer Et moi ?")
        assert f"[Memoire]\n- {MUSIC}\n- {ARDUINO}\n{SUMMARY}" in (
            place.provider.requests[-1].messages[0].content
        )


def await_page(frame: dict) -> list[str]:
    return [line for line in frame["text"].split("\n") if line]


async def test_what_personas_say_to_each_other_is_no_interaction(tmp_path: Path) -> None:
    provider = ScriptedProvider("@Schaeffer, et toi ?", name="ollama", models=("qwen3:8b",))
    async with house(provider=provider, data_dir=tmp_path, chain_depth=1) as place:
        ana = await place.enter("ana")
        for _ in range(5):
            await ana.say("@Batty bonjour")
            await ana.until(lambda frame: is_final(frame, "Schaeffer"))
        await ana.rest()
        assert [asked.count("Batty :") for asked in lessons_asked(place)] == [5]
        assert not (tmp_path / "v2-local/persona-memory/schaeffer.json").exists()


async def test_a_lesson_delays_no_answer_and_its_failure_stays_unseen(tmp_path: Path) -> None:
    answers = [*["Écoutez."] * 5, "n'importe quoi", "Oui."]
    async with house(*answers, data_dir=tmp_path) as place:
        ana = await place.enter("ana")
        await talk(ana, *SAID)
        await talk(ana, "@Schaeffer encore là ?")
        assert len(lessons_asked(place)) == 1
        assert not (tmp_path / "v2-local/persona-memory/schaeffer.json").exists()
        assert all("error" not in frame.get("text", "") for frame in await ana.rest())
