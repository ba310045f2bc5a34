"""Bring contexts and their summaries in, of channels of which the database has none."""

import asyncio
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

import msgspec
from sqlalchemy import Connection, select, update

from palabre.adapters.storage.file_import.counts import Brought
from palabre.adapters.storage.file_names import safe_name
from palabre.adapters.storage.jsonl.context_file import open_context, read_beginning
from palabre.adapters.storage.jsonl.forwards import lines_forwards
from palabre.adapters.storage.jsonl.layout import MessageFiles
from palabre.adapters.storage.jsonl.line_format import MAX_LINE_BYTES, read_line
from palabre.adapters.storage.jsonl.summary_file import Compaction, read_compaction
from palabre.adapters.storage.sql.database import Database
from palabre.adapters.storage.sql.errors import DatabaseFailedError
from palabre.adapters.storage.sql.moments import to_ms
from palabre.adapters.storage.sql.rooms.lines import context_of
from palabre.adapters.storage.sql.rooms.said import Said, said
from palabre.adapters.storage.sql.rooms.writing import write_contexts
from palabre.adapters.storage.sql.schema.history import MESSAGES
from palabre.adapters.storage.sql.schema.rooms import CONTEXTS
from palabre.adapters.storage.sql.signs import sayable
from palabre.core.chat.model import Utterance
from palabre.kernel.errors import StorageError
from palabre.kernel.ids import ChannelName

PIECE_LINES = 500
_MAX_SUMMARY_BYTES = 1024 * 1024


async def import_contexts(files: MessageFiles, database: Database) -> Brought:
    """Bring the contexts of *files* into *database*, each whole or not at all.

    Raises:
        StorageError: The database fails.
    """
    brought = Brought()
    logged = await database.read(_logged_channels)
    for path in sorted(await asyncio.to_thread(_paths, Path(files.contexts))):
        channel = await asyncio.to_thread(_channel_of, path, logged)
        try:
            brought.note(is_new=await _import_one(path, channel, database))
        except DatabaseFailedError:
            raise
        except StorageError:
            brought.unreadable.append(path.name)
    return brought


async def _import_one(path: Path, channel: ChannelName, database: Database) -> bool:
    summary = await asyncio.to_thread(read_compaction, str(_beside(path)))
    with open_context(str(path)) as file:
        if file is None or not file.size:
            return False
        lines = lines_forwards(file.read_at, 0, file.size, max_line_bytes=MAX_LINE_BYTES)
        spoken = (read_line(line, channel) for _, line in lines if line)
        return await _write(database, channel, (each for each in spoken if each), summary)


async def _write(
    database: Database, channel: ChannelName, spoken: Iterator[Utterance], summary: Compaction
) -> bool:
    async with database.writing() as connection:
        if await connection.run_sync(context_of, channel) is not None:
            return False
        wrote = False
        while piece := await asyncio.to_thread(_piece, spoken):
            await write_contexts(connection, piece)
            wrote = True
        if wrote and summary.at is not None:
            values = {
                "summary": sayable(summary.text),
                "compacted_entries": summary.entries,
                "compactions": summary.times,
                "compacted_at_ms": to_ms(summary.at),
            }
            changing = update(CONTEXTS).where(CONTEXTS.c.channel == channel).values(values)
            await connection.execute(changing)
        return wrote


def _piece(spoken: Iterator[Utterance]) -> list[Said]:
    return [said(each) for each in islice(spoken, PIECE_LINES)]


def _paths(contexts: Path) -> list[Path]:
    return [path for path in contexts.glob("*.jsonl") if path.is_file() or path.is_symlink()]


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.stem}.summary.json")


def _channel_of(path: Path, logged: Mapping[str, ChannelName]) -> ChannelName:
    """Return the channel of a file, whose name cannot say all that a channel's can."""
    try:
        content = read_beginning(str(_beside(path)), _MAX_SUMMARY_BYTES) or b"{}"
        named = msgspec.json.decode(content, type=dict[str, object]).get("channel")
    except (msgspec.MsgspecError, RecursionError, StorageError):
        named = None
    if isinstance(named, str) and safe_name(named) == path.stem:
        return ChannelName(named)
    return logged.get(path.stem) or ChannelName(f"#{path.stem.removeprefix('_')}")


def _logged_channels(connection: Connection) -> dict[str, ChannelName]:
    """Return the channels of the log by the names of their files."""
    channels = connection.execute(select(MESSAGES.c.channel).distinct()).scalars()
    return {safe_name(each): ChannelName(each) for each in sorted(channels, reverse=True) if each}
