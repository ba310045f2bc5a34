"""Bring the files of a data directory into the database of an installation."""

from dataclasses import dataclass
from pathlib import Path

from palabre.adapters.storage.file_import.contexts import import_contexts
from palabre.adapters.storage.file_import.counts import Brought, Progress
from palabre.adapters.storage.file_import.logs import import_logs
from palabre.adapters.storage.file_import.media import import_media
from palabre.adapters.storage.file_import.memories import import_memories
from palabre.adapters.storage.jsonl.layout import MessageFiles
from palabre.adapters.storage.sql.memories import SqlMemoryStore
from palabre.adapters.telemetry.prometheus import PrometheusTelemetry
from palabre.app.database import opened_database
from palabre.app.personas import library_for
from palabre.app.settings import Settings
from palabre.kernel.errors import UserError


class FilesAreTheTruthError(UserError):
    """There is no database into which files could be brought."""

    code = "files_are_the_truth"


@dataclass(frozen=True, slots=True)
class Imported:
    """What was brought in, by its kind."""

    messages: Brought
    contexts: Brought
    memories: Brought
    media: Brought


async def import_files(settings: Settings, folder: Path, progress: Progress) -> Imported:
    """Bring the files below *folder* into the database of *settings*.

    Raises:
        FilesAreTheTruthError: `storage.database_url` is not set.
        SetupError: The database cannot be opened.
        StorageError: It fails; what was brought in by then stays, and is not brought in twice.
    """
    if not settings.storage.in_database:
        raise FilesAreTheTruthError
    cast = await library_for(settings).load()
    nicks = {each.id: each.nick for each in cast.personas}
    files = MessageFiles.below(folder)
    compat_facts = settings.memory.policy.compat_facts
    async with opened_database(settings) as database:
        memories = SqlMemoryStore(database, compat_facts=compat_facts)
        return Imported(
            await import_logs(Path(files.chat_logs), database, progress),
            await import_contexts(files, database),
            await import_memories(folder, memories, nicks),
            await import_media(folder, database, PrometheusTelemetry()),
        )
