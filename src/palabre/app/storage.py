"""Where rooms keep what must last: in files of the data dir, or in a Postgres."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from sqlalchemy import text

from palabre.adapters.storage.json_memories.store import JsonMemoryStore
from palabre.adapters.storage.jsonl.messages import JsonlMessageStore
from palabre.adapters.storage.media_files import MIB, FileMediaStore
from palabre.adapters.storage.mirrored.media import MirroredMediaStore
from palabre.adapters.storage.mirrored.memories import MirroredMemoryStore
from palabre.adapters.storage.mirrored.messages import MirroredMessageStore
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.media import SqlMediaStore
from palabre.adapters.storage.sql.memories import SqlMemoryStore
from palabre.adapters.storage.sql.rooms.messages import SqlMessageStore
from palabre.adapters.telemetry.prometheus import PrometheusTelemetry
from palabre.app.database import opened_database
from palabre.app.settings import Settings
from palabre.app.surroundings import ThisMachine
from palabre.core.chat.ports import MessageStore
from palabre.core.media.ports import MediaStore
from palabre.core.memory.ports import MemoryStore
from palabre.core.telemetry.checkup import State
from palabre.core.telemetry.ports import Telemetry
from palabre.kernel.errors import StorageError

CHECK_TIMEOUT_S = 2.0


async def open_messages(
    settings: Settings, database: Database, telemetry: Telemetry
) -> MessageStore:
    """Return the store of what is said; whoever asks for it closes it.

    Raises:
        DataDirBusyError: Files are to be written, and another process writes them.
        DataDirUnusableError: They cannot be made or written.
    """
    storage = settings.storage
    if not storage.writes_files:
        return SqlMessageStore(database)
    files = await JsonlMessageStore.open(settings.data_dir, telemetry)
    if not storage.in_database:
        return files
    return MirroredMessageStore(SqlMessageStore(database), files, telemetry)


def memories_of(settings: Settings, database: Database, telemetry: Telemetry) -> MemoryStore:
    """Return the store of what personas remember."""
    files = _memory_files(settings)
    if not settings.storage.in_database:
        return files
    rows = SqlMemoryStore(database, compat_facts=settings.memory.policy.compat_facts)
    return MirroredMemoryStore(rows, files, telemetry) if settings.storage.writes_files else rows


def media_of(settings: Settings, database: Database, telemetry: Telemetry) -> MediaStore:
    """Return the store of pictures and music."""
    max_bytes = settings.media.max_mb * MIB
    files = FileMediaStore(settings.data_dir, telemetry, max_bytes=max_bytes)
    if not settings.storage.in_database:
        return files
    rows = SqlMediaStore(database, max_bytes=max_bytes)
    return MirroredMediaStore(rows, files, telemetry) if settings.storage.writes_files else rows


def _memory_files(settings: Settings) -> JsonMemoryStore:
    return JsonMemoryStore(settings.data_dir, compat_facts=settings.memory.policy.compat_facts)


async def storage_state(settings: Settings, database: Database) -> State:
    """Say whether what must last can be written now, within two seconds."""
    if not settings.storage.in_database:
        return await ThisMachine(settings).can_write(str(settings.data_dir))
    try:
        async with asyncio.timeout(CHECK_TIMEOUT_S), database.reading() as connection:
            await connection.execute(text("SELECT 1"))
    except (TimeoutError, StorageError) as error:
        return State(ok=False, detail=f"{database.address.shown} ({error})")
    return State(ok=True, detail=database.address.shown)


@asynccontextmanager
async def opened_memories(settings: Settings) -> AsyncGenerator[MemoryStore]:
    """Give what personas remember, for commands beside a server.

    Raises:
        SetupError: The database cannot be opened.
    """
    if not settings.storage.in_database:
        yield _memory_files(settings)
        return
    async with opened_database(settings) as database:
        yield memories_of(settings, database, PrometheusTelemetry())
