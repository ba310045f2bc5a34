"""An existing installation is taken over into files and into Postgres, once, with a report."""

import json
import os
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.support.databases import KINDS, address_of, with_database
from tests.support.kxkm import MINE, legacy, make_kxkm

from palabre.adapters.storage.data_dir import DataDirBusyError, DataDirLock
from palabre.adapters.storage.sql.accounts import SqlAccountStore
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.editorial_edits import SqlEditStore
from palabre.adapters.storage.sql.editorial_feedback import SqlFeedbackStore
from palabre.adapters.storage.sql.editorial_proposals import SqlProposalStore
from palabre.adapters.storage.sql.history.store import SqlHistoryStore
from palabre.adapters.storage.sql.ledger import SqlLedger
from palabre.app.database import opened_database
from palabre.app.kxkm_import import NoKxkmError, Report, import_kxkm
from palabre.app.settings import Settings
from palabre.app.storage import media_of, memories_of
from palabre.core.audit.inspection import inspect
from palabre.core.audit.model import EntryFilter
from palabre.core.auth.model import Account, Role
from palabre.core.editorial.model import Source
from palabre.core.history.model import Span
from palabre.core.memory.revising import emptied
from palabre.kernel.ids import Nick, PersonaId
from palabre.testing.clock import FrozenClock
from palabre.testing.telemetry import RecordingTelemetry

COUNTS = {
    "logs": (15, 10, 5),
    "contexts": (3, 2, 1),
    "summaries": (2, 1, 1),
    "memories": (6, 4, 1),
    "media": (4, 1, 3),
    "voices": (2, 1, 1),
    "personas": (7, 3, 4),
    "sources": (1, 1, 0),
    "feedback": (11, 6, 5),
    "proposals": (2, 1, 1),
    "others": (4, 0, 4),
}
"""Read, taken, left out."""


@dataclass
class Home:
    settings: Settings
    theirs: Path

    async def take(self, *, dry: bool = False) -> Report:
        root = self.theirs.parent
        return await import_kxkm(self.settings, root, dry=dry, progress=lambda *_: None)


@pytest.fixture(params=KINDS)
async def home(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    storage = {}
    data_dir = with_database(tmp_path / "here")
    if request.param == "postgres":
        address = address_of("postgres", request, tmp_path)
        url = address.url.render_as_string(hide_password=False)
        storage = {"database_url": url.replace("postgresql+psycopg", "postgresql")}
    settings = Settings(data_dir=data_dir, storage=storage)
    return Home(settings, make_kxkm(tmp_path / "theirs"))


@pytest.fixture
async def database(home: Home) -> AsyncGenerator[Database]:
    async with opened_database(home.settings) as opened:
        yield opened


def counts(report: Report) -> dict[str, tuple[int, int, int]]:
    return {kind: (t.read, t.taken, len(t.left_out)) for kind, t in report.tallies.items()}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


async def test_all_that_makes_sense_is_taken_and_the_rest_is_told(home: Home) -> None:
    before = contents(home.theirs)
    report = await home.take()
    assert counts(report) == COUNTS
    for tally in report.tallies.values():
        assert tally.read == tally.taken + tally.known + len(tally.left_out)
    assert contents(home.theirs) == before
    left = {(each.place, each.reason) for t in report.tallies.values() for each in t.left_out}
    assert {
        ("chat-logs/v2-2026-03-19.jsonl:4", "no_line"),
        ("chat-logs/v2-2026-03-19.jsonl:8", "long_line"),
        ("context/_general.jsonl:2", "no_line"),
        ("context/_vide.summary.json", "no_summary"),
        ("v2-local/persona-memory/broken.json", "no_memory"),
        ("media/audio/orphan.mp3", "no_description"),
        ("media/images/1742378400001-0a1b2c3d.png", "no_content"),
        ("voice-samples/batty.wav", "no_voice"),
        ("v2-local/personas.json#4", "name_taken"),
        ("v2-local/personas.json#5", "no_name"),
        ("v2-local/personas.json#6", "no_id"),
        ("v2-local/torn.json", "no_json"),
        ("v2-local/sessions.json#1", "session"),
        ("v2-local/persona-feedback.json#5", "no_persona"),
        ("feedback/Schaeffer.jsonl:5", "no_judgement"),
        ("feedback/nobody.jsonl:1", "no_persona"),
        ("channel-state.json", "unknown"),
    } <= left


async def test_a_second_time_adds_nothing(home: Home, database: Database) -> None:
    await home.take()
    files = contents(home.settings.data_dir)
    again = await home.take()
    assert {kind: t.taken for kind, t in again.tallies.items()} == dict.fromkeys(COUNTS, 0)
    for name, content in contents(home.settings.data_dir).items():
        if not name.startswith("palabre."):
            assert files[name] == content
    entries = await SqlLedger(database, FrozenClock()).entries(EntryFilter(), 9)
    assert [each.action for each in entries] == ["data.import_kxkm"] * 2
    assert json.loads(entries[1].after)["logs"] == {"read": 15, "taken": 10, "leftOut": 5}
    assert (await inspect(SqlLedger(database, FrozenClock()))).verdict.broken_at is None


async def test_a_dry_run_changes_nothing(home: Home, database: Database) -> None:
    before = contents(home.settings.data_dir)
    report = await home.take(dry=True)
    assert counts(report) == COUNTS
    after = contents(home.settings.data_dir)
    assert {n for n in after.keys() | before.keys() if after.get(n) != before.get(n)} <= {
        "palabre.lock",
        "palabre.db-wal",
        "palabre.db-shm",
    }
    assert not await SqlLedger(database, FrozenClock()).entries(EntryFilter(), 1)
    assert not await SqlEditStore(database).edits()


async def test_memories_media_and_personas_are_as_they_were(home: Home, database: Database) -> None:
    await home.take()
    telemetry = RecordingTelemetry()
    memories = memories_of(home.settings, database, telemetry)
    schaeffer = await memories.record(PersonaId("schaeffer"), Nick("Schaeffer"))
    assert schaeffer.facts == ("Ana joue du violoncelle", "Bob enregistre la pluie")
    pharmacius = await memories.record(PersonaId("pharmacius"), Nick("Pharmacius"))
    archived = {each.text: each.author for each in pharmacius.archive}
    assert archived == {"Ana soude des synthés": "ana", "Quelqu'un cherche un théâtre": ""}
    batty = await memories.record(PersonaId("batty"), Nick("Batty"))
    assert batty.facts == ("Ana craint l'orage",)
    media = media_of(home.settings, database, telemetry)
    assert [each.prompt for each in await media.latest("image")] == ["une colline"]
    edits = {each.persona_id: each for each in await SqlEditStore(database).edits()}
    assert edits.keys() == {"schaeffer", "batty", MINE}
    assert edits[PersonaId("schaeffer")].summary == "Écoute les trains."
    assert edits[PersonaId("batty")].enabled is False
    mine = edits[PersonaId(MINE)]
    assert (mine.created, mine.name, mine.model) == (True, "Moulin", "mistral:7b")
    source = await SqlEditStore(database).source(PersonaId(MINE))
    assert source == Source(PersonaId(MINE), "Moulin à vent", "", ("a", "7"))
    feedback = await SqlFeedbackStore(database).latest(PersonaId(MINE), 9)
    assert {(each.id, each.leaning) for each in feedback} == {
        ("feedback_1", 1),
        ("feedback_2", 1),
        ("feedback_3", 0),
    }
    judged = await SqlFeedbackStore(database).judgements(PersonaId("schaeffer"), None, 9)
    assert sorted(each.leaning for each in judged) == [-1, 1, 1]
    proposals = await SqlProposalStore(database).latest(PersonaId(MINE), 9)
    assert [each.after.summary for each in proposals] == ["Tourne encore."]
    assert (home.settings.data_dir / "voice-samples" / "schaeffer.wav").is_file()


async def test_what_is_newer_here_is_never_overwritten(home: Home, database: Database) -> None:
    here = make_kxkm(home.theirs.parent.parent / "older")
    for name in ("v2-local/personas.json", "context/_general.summary.json"):
        content = (here / name).read_text().replace("trains", "bateaux").replace("sons", "mer")
        (here / name).write_text(content)
    await home.take()
    memories = memories_of(home.settings, database, RecordingTelemetry())
    persona, nick = PersonaId("schaeffer"), Nick("Schaeffer")
    await memories.revise(persona, nick, lambda ours: emptied(ours, FrozenClock().now()))
    report = await import_kxkm(home.settings, here, dry=False, progress=lambda *_: None)
    edits = {each.persona_id: each for each in await SqlEditStore(database).edits()}
    assert edits[persona].summary == "Écoute les trains."
    assert (await memories.record(persona, nick)).facts == ()
    reasons = {each.reason for each in report.tallies["memories"].left_out}
    assert "forgotten_here" in reasons


async def test_lines_are_found_in_the_order_in_which_they_were_said(
    home: Home, database: Database
) -> None:
    await home.take()
    if not home.settings.storage.in_database:
        folder = home.settings.data_dir / "chat-logs"
        lines = (folder / "v2-2026-03-19.jsonl").read_text("utf-8").split("\n")
        texts = [json.loads(each)["text"] for each in lines if each]
        next_day = (folder / "v2-2026-03-20.jsonl").read_text("utf-8")
        assert [json.loads(each)["text"] for each in next_day.split("\n") if each] == [
            "déjà demain",
            "matin",
        ]
    else:
        span = Span("#general", None, None)
        pages = [page async for page in SqlHistoryStore(database).lines(span)]
        texts = [each.text for page in pages for each in page]
    assert texts[:4] == ["J'ai vu tant de choses", "Bonjour \u2028 à tous", "Encore", "Encore"]


async def test_a_folder_without_anything_of_it_is_refused(home: Home, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "empty", home.settings.data_dir):
        with pytest.raises(NoKxkmError):
            await import_kxkm(home.settings, folder, dry=False, progress=lambda *_: None)


async def test_files_that_a_server_writes_are_left_alone(home: Home) -> None:
    lock = DataDirLock(home.settings.data_dir)
    if home.settings.storage.in_database:  # which several may write at once
        assert counts(await home.take()) == COUNTS
    else:
        with pytest.raises(DataDirBusyError):
            await home.take()
    lock.release()


def put_things(home: Home, things: list[dict[str, Any]]) -> None:
    (home.theirs / "v2-local" / "x.json").write_text(json.dumps(things))


async def test_an_id_given_twice_loses_nothing_and_nothing_comes_twice(
    home: Home, database: Database
) -> None:
    vote = {"id": "f1", "kind": "vote", "message": "up", "createdAt": "2026-03-19T10:00:00Z"}
    wording = {"name": "a", "model": "", "summary": ""}
    proposal = {"id": "p1", "personaId": MINE, "before": wording}
    put_things(
        home,
        [
            *[vote | {"personaId": MINE}] * 2,
            vote | {"personaId": "schaeffer"},
            vote | {"personaId": MINE, "message": "down"},
            *[proposal | {"after": wording | {"summary": each}} for each in ("x", "y", "x")],
            *[{"personaId": MINE, "subjectName": each} for each in ("Moulin à vent", "Autre")],
        ],
    )
    dry = await home.take(dry=True)
    once = await home.take()
    again = await home.take()
    assert counts(dry) == counts(once)
    added = {"feedback": (15, 9, 5), "proposals": (5, 3, 1), "sources": (3, 1, 0)}
    assert counts(once) == COUNTS | added
    assert {kind: t.taken for kind, t in again.tallies.items()} == dict.fromkeys(COUNTS, 0)
    told = await SqlFeedbackStore(database).latest(PersonaId(MINE), 9)
    assert {"up", "down"} <= {each.message for each in told}
    assert len(await SqlProposalStore(database).latest(PersonaId(MINE), 9)) == 3


async def test_signs_that_a_database_does_not_keep_are_replaced(
    home: Home, database: Database
) -> None:
    put_things(
        home,
        [
            {"id": "f\0", "personaId": MINE, "kind": "vote", "message": "u\0p"},
            {"id": "persona_z", "name": "Zed", "model": "m\0", "summary": "a\0b"},
            {"personaId": "persona_z", "subjectName": "a\0", "references": ["\0"]},
            {
                "id": "p\0",
                "personaId": MINE,
                "before": {"name": "a\0", "model": "", "summary": ""},
                "after": {"name": "b", "model": "\0", "summary": "\0"},
            },
        ],
    )
    report = await home.take()
    assert counts(report)["feedback"] == (12, 7, 5)
    edits = {each.persona_id: each for each in await SqlEditStore(database).edits()}
    assert edits[PersonaId("persona_z")].summary == "a\ufffdb"
    source = await SqlEditStore(database).source(PersonaId("persona_z"))
    assert source == Source(PersonaId("persona_z"), "a\ufffd", "", ("\ufffd",))


def put_odd_names(data: Path) -> None:
    (data / "loop").symlink_to(".")
    (data / "media" / "more").symlink_to("/etc")
    os.mkfifo(data / "chat-logs" / "v2-2026-01-01.jsonl")
    memories = os.fsencode(data / "v2-local" / "persona-memory")
    Path(os.fsdecode(memories + b"/bad\xff.json")).write_text(legacy("x", "fact"))


async def test_links_pipes_and_names_that_are_no_text_are_told_and_not_followed(
    home: Home,
) -> None:
    put_odd_names(home.theirs)
    report = await home.take()
    assert counts(report) == COUNTS | {"others": (8, 0, 8)}
    places = {e.place for e in report.tallies["others"].left_out if e.reason == "no_file"}
    assert places == {
        *("loop", "media/more", "chat-logs/v2-2026-01-01.jsonl"),
        "v2-local/persona-memory/bad\\xff.json",
    }


async def test_a_persona_called_like_an_account_or_like_one_that_came_before_is_left_out(
    home: Home, database: Database
) -> None:
    await SqlAccountStore(database).add(Account("lea", Role.VIEWER, "x", FrozenClock().now()))
    names = {"persona_1": "Léa", "persona_2": "Lea", "persona_3": "Zed", "persona_4": "zed"}
    put_things(home, [{"id": i, "name": n, "model": "m"} for i, n in names.items()])
    report = await home.take()
    left_out = {each.place: each.reason for each in report.tallies["personas"].left_out}
    assert left_out["v2-local/x.json#2"] == "name_taken"
    assert left_out["v2-local/x.json#4"] == "name_taken"
    assert "v2-local/x.json#3" not in left_out


async def test_a_picture_larger_than_all_media_may_be_is_not_even_read(home: Home) -> None:
    with (home.theirs / "media" / "images" / "1742378400000-0a1b2c3d.png").open("r+b") as file:
        file.truncate((home.settings.media.max_mb + 1) * 1024 * 1024)  # a hole takes no room
    report = await home.take()
    reasons = {each.place: each.reason for each in report.tallies["media"].left_out}
    assert reasons["media/images/1742378400000-0a1b2c3d.png"] == "media_full"
