"""Take over what a KXKM_Clown left in its data dir (seed 000)."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import select

from palabre.adapters.speech.samples import FOLDER, MAX_SAMPLE_BYTES, VoiceSamples
from palabre.adapters.storage.data_dir import DataDirLock
from palabre.adapters.storage.errors import reason
from palabre.adapters.storage.file_import.contexts import import_contexts
from palabre.adapters.storage.file_import.counts import Brought
from palabre.adapters.storage.file_import.logs import import_logs
from palabre.adapters.storage.file_names import safe_name
from palabre.adapters.storage.jsonl.layout import MessageFiles
from palabre.adapters.storage.kxkm.editorial import JSON_FILE, JUDGED
from palabre.adapters.storage.kxkm.memories import MEMORY, Remembered, joined, read_memory
from palabre.adapters.storage.kxkm.said import CONTEXT, LOG, SUMMARY, SaidImport
from palabre.adapters.storage.kxkm.source import SourceFile, data_dir_in, files_in
from palabre.adapters.storage.kxkm.tally import Tally
from palabre.adapters.storage.media_files import MIB, FileMediaStore
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.ledger import SqlLedger
from palabre.adapters.storage.sql.schema.rooms import CONTEXTS
from palabre.adapters.telemetry.prometheus import PrometheusTelemetry
from palabre.app.clock import SystemClock
from palabre.app.database import opened_database
from palabre.app.kxkm_editorial import EditorialImport
from palabre.app.personas import library_for
from palabre.app.settings import Settings
from palabre.app.storage import media_of, memories_of
from palabre.core.audit.model import THE_MACHINE
from palabre.core.media.errors import MediaFullError
from palabre.core.media.model import MEDIA_FOLDERS, MediaItem
from palabre.core.media.ports import MediaStore
from palabre.core.memory.model import Record
from palabre.core.memory.ports import MemoryStore
from palabre.kernel.errors import UserError
from palabre.kernel.ids import Nick, PersonaId

KINDS = (
    *("logs", "contexts", "summaries", "memories", "media", "voices"),
    *("personas", "sources", "feedback", "proposals", "others"),
)
EVERY = 10**9
MIN_SAMPLE_S = 0.1

Progress = Callable[[int, int], None]
"""Takes how many files were read, and how many there are."""


class NoKxkmError(UserError):
    """There is nothing of a KXKM_Clown in `data["path"]`."""

    code = "no_kxkm"


@dataclass(slots=True)
class Report:
    """What became of everything.

    Attributes:
        data_dir: Where it was read.
        is_compared: Whether lines were compared with those that are here; a dry run does not ask
            a Postgres.
        tallies: By kind, `KINDS`.
    """

    data_dir: Path
    is_compared: bool = True
    tallies: Mapping[str, Tally] = field(default_factory=lambda: {k: Tally() for k in KINDS})


async def import_kxkm(settings: Settings, folder: Path, *, dry: bool, progress: Progress) -> Report:
    """Take what *folder* holds into the installation of *settings*; nothing there is changed.

    What is here already is left alone; a second time adds nothing.

    Raises:
        NoKxkmError: *folder* is no data dir, and has none.
        DataDirBusyError: A server works on the data dir.
        SetupError: The database cannot be opened.
        StorageError: Something cannot be written; what was taken by then stays.
    """
    data_dir = await asyncio.to_thread(data_dir_in, folder)
    if data_dir is None or data_dir.resolve() == settings.data_dir.resolve():
        raise NoKxkmError(path=str(folder))
    report = Report(data_dir)
    async with _here(settings) as database, AsyncExitStack() as stack:
        said_dir, closed = settings.data_dir, frozenset[str]()
        if settings.storage.in_database:
            report.is_compared = not dry
            said_dir = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="palabre-")))
            closed = await _closed(database)
        cast = await library_for(settings).load()
        nicks = {each.id: each.nick for each in cast.personas}
        said = SaidImport(said_dir, dry=dry, closed=closed)
        work = _Import(settings, database, report, nicks, said, dry=dry)
        await work.run(progress)
        if settings.storage.in_database and not dry:
            await _bring_said(said_dir, database, report)
        await work.end()
    return report


@asynccontextmanager
async def _here(settings: Settings) -> AsyncGenerator[Database]:
    lock = None if settings.storage.in_database else DataDirLock(settings.data_dir)
    try:
        async with opened_database(settings) as database:
            yield database
    finally:
        if lock is not None:
            lock.release()


async def _bring_said(said_dir: Path, database: Database, report: Report) -> None:
    """Bring lines, which were made files, into the database."""
    files = MessageFiles.below(said_dir)
    logs = await import_logs(Path(files.chat_logs), database, lambda *_: None)
    _recount(report.tallies["logs"], logs)
    await import_contexts(files, database)


async def _closed(database: Database) -> frozenset[str]:
    """Return the names of files of the contexts that the database has."""
    async with database.reading() as connection:
        channels = await connection.scalars(select(CONTEXTS.c.channel))
        return frozenset(safe_name(each) for each in channels)


def _recount(tally: Tally, brought: Brought) -> None:
    tally.taken, tally.known = brought.added, tally.known + brought.known


class _Import:
    """One import on its way."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        report: Report,
        nicks: Mapping[PersonaId, Nick],
        said: SaidImport,
        *,
        dry: bool,
    ) -> None:
        telemetry = PrometheusTelemetry()
        self._policy = settings.memory.policy
        self._report = report
        self._nicks = nicks
        self._said = said
        self._dry = dry
        self._database = database
        self._memories: MemoryStore = memories_of(settings, database, telemetry)
        self._media: MediaStore = media_of(settings, database, telemetry)
        self._their_media = FileMediaStore(report.data_dir, telemetry, max_bytes=EVERY)
        self._max_media_bytes = settings.media.max_mb * MIB
        self._voices = VoiceSamples(settings.data_dir / FOLDER)
        self._editorial = EditorialImport(settings, database, report.tallies, dry=dry)
        self._copies: list[Remembered] = []
        self._become: dict[PersonaId, Record] = {}

    async def run(self, progress: Progress) -> None:
        files, others = await asyncio.to_thread(files_in, self._report.data_dir)
        for name in others:
            self._tally("others").leave(name, "no_file")
        for number, file in enumerate(files, 1):
            kind = _kind_of(file)
            try:
                await self._take(file, kind)
            except OSError as fault:
                self._tally(kind).leave(f"{file.name} ({reason(fault)})", "unreadable")
            except ValueError:
                self._tally(kind).leave(file.name, "no_json")
            progress(number, len(files))
        await self._take_media()
        for copied in self._copies:
            await self._take_memory(copied)

    async def end(self) -> None:
        """Take what belongs into one transaction, with its entry in the book of changes."""
        if self._dry:
            await self._editorial.run()
            return
        ledger = SqlLedger(self._database, SystemClock())
        target = self._report.data_dir.name
        async with ledger.recording(THE_MACHINE, "data.import_kxkm", target) as change:
            await self._editorial.run()
            change.after = {
                kind: {"read": t.read, "taken": t.taken, "leftOut": len(t.left_out)}
                for kind, t in self._report.tallies.items()
            }

    async def _take(self, file: SourceFile, kind: str) -> None:
        tally = self._tally(kind)
        in_thread: dict[str, Callable[[], None]] = {
            "logs": lambda: self._said.take_log(file, tally),
            "contexts": lambda: self._said.take_context(file, tally),
            "summaries": lambda: self._said.take_summary(file, tally),
            "feedback": lambda: self._editorial.read_judgements(file),
            "personas": lambda: self._editorial.read_things(file),
        }
        if kind in in_thread:
            await asyncio.to_thread(in_thread[kind])
        elif kind == "memories":
            await self._read_memory(file)
        elif kind == "voices":
            await self._take_voice(file)
        elif kind == "others":
            tally.leave(file.name, "unknown")  # media go by their descriptions, later

    async def _read_memory(self, file: SourceFile) -> None:
        found = await asyncio.to_thread(read_memory, file, self._nicks)
        if found is None:
            self._tally("memories").leave(file.name, "no_memory")
        elif found.is_copy:  # what `v2-local` says of the same persona comes first
            self._copies.append(found)
        else:
            await self._take_memory(found)

    async def _take_memory(self, found: Remembered) -> None:
        tally, theirs = self._tally("memories"), found.record
        before = self._become.get(theirs.persona)
        before = before or await self._memories.record(theirs.persona, theirs.nick)
        if before.forgotten_at is not None:
            tally.leave(found.place, "forgotten_here")
            return
        become = joined(before, theirs, self._policy)
        tally.note(is_new=become.record is not before)
        self._become[theirs.persona] = become.record
        if become.crowded_out:
            tally.leave(f"{found.place} ({become.crowded_out})", "no_room")
        if become.record is not before and not self._dry:
            await self._memories.revise(
                theirs.persona, theirs.nick, lambda ours: joined(ours, theirs, self._policy).record
            )

    async def _take_voice(self, file: SourceFile) -> None:
        tally, nick = self._tally("voices"), file.path.stem
        if file.path.stat().st_size > MAX_SAMPLE_BYTES:
            tally.leave(file.name, "large_voice")
        elif await self._voices.size_bytes(nick) is not None:
            tally.note(is_new=False)
        elif await self._voices.fault_of(content := file.content(), MIN_SAMPLE_S):
            tally.leave(file.name, "no_voice")
        else:
            tally.note(is_new=True)
            if not self._dry:
                await self._voices.put(nick, content)

    async def _take_media(self) -> None:
        described: set[str] = set()
        for kind, folder in MEDIA_FOLDERS.items():
            for item in reversed(await self._their_media.latest(kind, EVERY)):
                described |= {f"media/{folder}/{item.file_name}", f"media/{folder}/{item.id}.json"}
                await self._take_item(item, f"media/{folder}/{item.file_name}")
        for file in (await asyncio.to_thread(files_in, self._report.data_dir / "media"))[0]:
            if f"media/{file.name}" not in described:
                self._tally("media").leave(f"media/{file.name}", "no_description")

    async def _take_item(self, item: MediaItem, place: str) -> None:
        tally = self._tally("media")
        if await self._media.find(item.kind, item.file_name):
            tally.note(is_new=False)
            return
        theirs = await self._their_media.find(item.kind, item.file_name)
        if theirs is None or theirs.size_bytes > self._max_media_bytes:
            tally.leave(place, "media_full" if theirs else "no_content")
            return
        try:
            if not self._dry:
                pieces = [piece async for piece in self._their_media.read(item)]
                await self._media.save(item, b"".join(pieces))
        except MediaFullError:
            tally.leave(place, "media_full")
        else:
            tally.note(is_new=True)

    def _tally(self, kind: str) -> Tally:
        return self._report.tallies[kind]


_PATTERNS = (
    (LOG, "logs"),
    (CONTEXT, "contexts"),
    (SUMMARY, "summaries"),
    (MEMORY, "memories"),
    (JUDGED, "feedback"),
    (JSON_FILE, "personas"),
)


def _kind_of(file: SourceFile) -> str:
    found = next((kind for pattern, kind in _PATTERNS if pattern.fullmatch(file.name)), None)
    if found is None and file.name.startswith("media/"):
        return "media"
    is_voice = file.path.parent.name == FOLDER and file.path.suffix == ".wav"
    return found or ("voices" if is_voice else "others")
