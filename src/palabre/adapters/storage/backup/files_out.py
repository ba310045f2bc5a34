"""Write what rooms keep in tables of Postgres into the files in which they keep it otherwise.

It is part of a restore from Postgres into a data dir with SQLite, where files are the truth.
"""

import gzip
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, Select, select

from palabre.adapters.storage.file_names import safe_name
from palabre.adapters.storage.jsonl.layout import MessageFiles
from palabre.adapters.storage.jsonl.line_format import write_lines
from palabre.adapters.storage.jsonl.summary_file import Compaction, summary_json
from palabre.adapters.storage.sql.moments import from_ms
from palabre.adapters.storage.sql.schema.history import LOG_FILES, MESSAGE_COUNTS, MESSAGES
from palabre.adapters.storage.sql.schema.rooms import (
    ARCHIVES,
    CONTEXT_LINES,
    CONTEXTS,
    MEDIA,
    MEDIA_PIECES,
    MEMORIES,
    MEMORY_HISTORY,
)
from palabre.core.chat.model import Utterance
from palabre.core.history.model import RAW
from palabre.core.media.model import MEDIA_FOLDERS
from palabre.kernel.clock import iso_utc
from palabre.kernel.ids import ChannelName, Nick

PIECE = 500
"""Rows that are read at once."""

MOVED = (
    *(MESSAGES, MESSAGE_COUNTS, LOG_FILES),
    *(CONTEXT_LINES, ARCHIVES, CONTEXTS, MEMORY_HISTORY, MEMORIES, MEDIA_PIECES, MEDIA),
)
"""Tables that are empty afterwards; those of messages are made anew from the logs."""

_FILE = re.compile(r"[0-9]{1,16}-[0-9a-f]{8}\.[a-z0-9]{2,5}")
_encode = msgspec.json.Encoder().encode


def write_files(connection: Connection, data_dir: Path) -> None:
    """Write the rows of `MOVED` below *data_dir*, which nobody uses, and delete them.

    Of each kind only where there are no such files: a mirror of the tables was kept in them.

    Raises:
        OSError: They cannot be written.
    """
    files = MessageFiles.below(data_dir)
    if not Path(files.chat_logs).exists():
        _write_logs(connection, files)
    if not Path(files.contexts).exists():
        for row in connection.execute(select(CONTEXTS).order_by(CONTEXTS.c.channel)).all():
            _write_context(connection, files, row)
    if not (data_dir / "v2-local" / "persona-memory").exists():
        _write_memories(connection, data_dir / "v2-local" / "persona-memory")
    if not (data_dir / "media").exists():
        _write_media(connection, data_dir / "media")
    for table in MOVED:
        connection.execute(table.delete())


def _write_logs(connection: Connection, files: MessageFiles) -> None:
    for row in _rows(connection, select(MESSAGES).order_by(MESSAGES.c.id)):
        at = from_ms(row.at_ms)
        _append(Path(files.chat_log(at)), [_log_line(row, at)])


def _log_line(row: Row[Any], at: datetime) -> bytes:
    if row.kind == RAW:
        return str(row.text).encode() + b"\n"
    told = {"ts": iso_utc(at), "channel": row.channel, "nick": row.nick, "type": row.kind}
    return _encode(told | {"text": row.text}) + b"\n"


def _write_context(connection: Connection, files: MessageFiles, context: Row[Any]) -> None:
    channel = ChannelName(context.channel)
    lines = select(CONTEXT_LINES).where(CONTEXT_LINES.c.channel == channel)
    lines = lines.order_by(CONTEXT_LINES.c.id)
    newest = lines.where(CONTEXT_LINES.c.id > context.archived_to)
    _append(Path(files.context(channel)), _context_lines(connection, newest))
    archives = select(ARCHIVES).where(ARCHIVES.c.channel == channel).order_by(ARCHIVES.c.id)
    for number, each in enumerate(connection.execute(archives).all(), 1):
        old = lines.where(CONTEXT_LINES.c.id > each.after_id, CONTEXT_LINES.c.id <= each.last_id)
        path = Path(files.archive(channel, from_ms(each.at_ms), number))
        _append(path, [gzip.compress(b"".join(_context_lines(connection, old)))])
    if context.summary:
        at_ms = context.compacted_at_ms
        at = datetime.fromtimestamp(0, UTC) if at_ms is None else from_ms(at_ms)
        counts = (context.compacted_entries, context.compactions)
        told = summary_json(channel, Compaction(*counts, at, context.summary))
        _append(Path(files.summary(channel)), [_encode(told)])


def _context_lines(connection: Connection, wanted: Select[Any]) -> Iterator[bytes]:
    for row in _rows(connection, wanted):
        said = Utterance(
            from_ms(row.at_ms),
            ChannelName(row.channel),
            Nick(row.nick),
            row.text,
            "system" if row.kind == "system" else "message",
        )
        yield write_lines(said).context


def _write_memories(connection: Connection, folder: Path) -> None:
    for row in connection.execute(select(MEMORIES)).all():
        name = safe_name(row.persona)
        if row.content:
            _append(folder / f"{name}.json", [row.content.encode()])
        before = select(MEMORY_HISTORY).where(MEMORY_HISTORY.c.persona == row.persona)
        rows = connection.execute(before.order_by(MEMORY_HISTORY.c.id)).all()
        for number, old in enumerate(rows, 1):
            _append(folder / "history" / name / f"{number:06d}.json", [old.content.encode()])


def _write_media(connection: Connection, folder: Path) -> None:
    for row in connection.execute(select(MEDIA)).all():
        kind = next((folder for kind, folder in MEDIA_FOLDERS.items() if kind == row.kind), None)
        if kind is None or not _FILE.fullmatch(row.file_name):
            continue  # no file that the store would find again
        pieces = select(MEDIA_PIECES).where(MEDIA_PIECES.c.media_id == row.id)
        rows = _rows(connection, pieces.order_by(MEDIA_PIECES.c.number))
        _append(folder / kind / row.file_name, (each.content for each in rows))
        stem = row.file_name.partition(".")[0]
        _append(folder / kind / f"{stem}.json", [_encode(_described(row))])


def _described(row: Row[Any]) -> dict[str, str]:
    return {
        "id": row.id,
        "type": row.kind,
        "prompt": row.prompt,
        "nick": row.nick,
        "channel": row.channel,
        "createdAt": iso_utc(from_ms(row.created_at_ms)),
        "mime": row.mime,
        "filename": row.file_name,
    }


def _rows(connection: Connection, wanted: Select[Any]) -> Iterator[Row[Any]]:
    found = connection.execution_options(yield_per=PIECE).execute(wanted)
    for rows in found.partitions():
        yield from rows


def _append(path: Path, pieces: Iterable[bytes]) -> None:
    """Add *pieces* to *path*; several channels may share a file, as their names are cut."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with path.open("ab") as file:
        path.chmod(0o600)
        file.writelines(pieces)
