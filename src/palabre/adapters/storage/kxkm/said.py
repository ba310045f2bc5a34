"""Lines of logs and contexts, put among those that are here: none twice, none lost."""

import gzip
import heapq
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path

import msgspec

from palabre.adapters.storage.atomic import write_atomically
from palabre.adapters.storage.data_dir import make_private
from palabre.adapters.storage.day_logs.day_file import day_of_name
from palabre.adapters.storage.day_logs.line import read_log_line
from palabre.adapters.storage.jsonl.context_file import open_context
from palabre.adapters.storage.jsonl.layout import MessageFiles
from palabre.adapters.storage.jsonl.line_format import read_line, write_lines
from palabre.adapters.storage.jsonl.summary_file import (
    as_compaction,
    read_compaction,
    summary_json,
)
from palabre.adapters.storage.kxkm.source import SourceFile
from palabre.adapters.storage.kxkm.tally import Tally
from palabre.core.history.model import RAW
from palabre.kernel.clock import iso_utc, whole_ms
from palabre.kernel.ids import ChannelName

LOG = re.compile(r"chat-logs/(v2-[0-9]{4}-[0-9]{2}-[0-9]{2}\.jsonl)")
CONTEXT = re.compile(r"context/([A-Za-z0-9_-]{1,100})\.jsonl")
SUMMARY = re.compile(r"context/([A-Za-z0-9_-]{1,100})\.summary\.json")
NO_CHANNEL = "#general"
"""Where lines were said that do not say where (seed 000 §5.1)."""

_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class SaidLine:
    """A line, when it was said, and what makes two the same."""

    at: datetime
    key: tuple[str, ...]
    written: bytes


Read = Callable[[bytes], SaidLine | None]


class SaidImport:
    """Puts logs and contexts into the files below *data_dir*, which nobody else may be writing.

    Args:
        data_dir: Of this installation.
        dry: Whether nothing is to be written.
        closed: Names of contexts, without `.jsonl`, instead of which a database has its own.
    """

    def __init__(self, data_dir: Path, *, dry: bool, closed: frozenset[str] = frozenset()) -> None:
        self._files = MessageFiles.below(data_dir)
        self._dry = dry
        self._closed = closed

    def take_log(self, file: SourceFile, tally: Tally) -> None:
        """Take the log of a day; each line goes to the day on which it was said.

        Raises:
            OSError: It cannot be read.
            StorageError: What is here cannot be written.
        """
        day = day_of_name(file.path.name)
        assert day is not None
        days: dict[date, list[SaidLine]] = {}
        for said in _read_all(file, partial(_log_line, day=day), tally):
            days.setdefault(said.at.date(), []).append(said)
        for each, lines in sorted(days.items()):
            path = Path(f"{self._files.chat_logs}/v2-{each.isoformat()}.jsonl")
            self._merge(path, lines, partial(_log_line, day=each), tally)

    def take_context(self, file: SourceFile, tally: Tally) -> None:
        """Take the context of a channel; what a summary stands for here is here already.

        Raises:
            OSError, StorageError: As `take_log`.
        """
        lines = list(_read_all(file, _context_line, tally))
        if file.path.stem in self._closed:
            tally.known += len(lines)
            return
        path = Path(self._files.contexts, file.path.name)
        archives = Path(self._files.archives).glob(f"{path.stem}.*.jsonl.gz")
        archived = [line for each in sorted(archives) for line in _unpacked(each)]
        self._merge(path, lines, _context_line, tally, archived)

    def take_summary(self, file: SourceFile, tally: Tally) -> None:
        """Take what stands for the oldest lines of a channel, unless something does so here.

        Raises:
            OSError, StorageError: As `take_log`.
        """
        theirs = as_compaction(file.content())
        path = Path(self._files.contexts, file.path.name)
        ours = read_compaction(str(path))
        if not theirs.text or theirs.at is None:
            tally.leave(file.name, "no_summary")
        elif ours.text and ours.text != theirs.text:
            tally.leave(file.name, "newer_here")
        else:
            is_new = not ours.text and file.path.name.partition(".")[0] not in self._closed
            tally.note(is_new=is_new)
            if is_new and not self._dry:
                channel = ChannelName(_channel_in(file))
                make_private(path.parent)
                write_atomically(path, msgspec.json.encode(summary_json(channel, theirs)))

    def _merge(
        self,
        path: Path,
        lines: Sequence[SaidLine],
        read: Read,
        tally: Tally,
        archived: Iterable[bytes] = (),
    ) -> None:
        own = _content(path).split(b"\n")
        ours = [_own_line(line, read) for line in own if line.strip()]
        known = Counter(each.key for each in ours)
        known.update(said.key for line in archived if (said := read(line)))
        new = [each for each in lines if _lacks(known, each)]
        tally.taken += len(new)
        tally.known += len(lines) - len(new)
        if not new or self._dry:
            return
        make_private(path.parent)
        write_atomically(path, b"".join(each.written for each in _in_order(ours, new)))


def _content(path: Path) -> bytes:
    with open_context(str(path)) as file:
        return file.read_at(file.size, 0) if file else b""


def _read_all(file: SourceFile, read: Read, tally: Tally) -> Iterator[SaidLine]:
    for place, line in file.lines():
        said = read(line) if line is not None else None
        if said is None:
            tally.leave(place, "no_line" if line is not None else "long_line")
        else:
            tally.read += 1
            yield said


def _lacks(known: Counter[tuple[str, ...]], said: SaidLine) -> bool:
    """Say whether *said* is not among *known*; if it is, once less from now on."""
    if known[said.key] > 0:
        known[said.key] -= 1
        return False
    return True


def _in_order(ours: Sequence[SaidLine], new: Sequence[SaidLine]) -> Iterator[SaidLine]:
    """Yield *new* ones by their time among *ours*, which keep their order."""
    latest = datetime.min.replace(tzinfo=UTC)
    placed = []
    for each in ours:
        latest = max(latest, each.at)
        placed.append((latest, 0, each))
    coming = [(each.at, 1, each) for each in sorted(new, key=lambda each: each.at)]
    merged = heapq.merge(placed, coming, key=lambda each: each[:2])
    return (each for _, _, each in merged)


def _own_line(line: bytes, read: Read) -> SaidLine:
    """Return a line that is here; what makes no sense stays where it is."""
    said = read(line)
    at = said.at if said else datetime.min.replace(tzinfo=UTC)
    return SaidLine(at, said.key if said else ("", line.hex()), line + b"\n")


def _log_line(line: bytes, day: date) -> SaidLine | None:
    found = read_log_line(line, day, len(line))
    if found.kind == RAW or not found.nick:
        return None
    ts = iso_utc(whole_ms(found.at))
    key = (ts, found.channel or NO_CHANNEL, found.nick, found.kind, found.text)
    names = ("ts", "channel", "nick", "type", "text")
    written = _encode(dict(zip(names, key, strict=True))) + b"\n"
    return SaidLine(whole_ms(found.at), key, written)


def _context_line(line: bytes) -> SaidLine | None:
    found = read_line(line, ChannelName(""))
    if found is None:
        return None
    key = (iso_utc(found.at), found.nick, found.kind, found.text)
    return SaidLine(found.at, key, write_lines(found).context)


def _channel_in(file: SourceFile) -> str:
    found = msgspec.json.decode(file.content(), type=dict[str, object]).get("channel")
    stem = file.path.name.removesuffix(".summary.json")
    return found if isinstance(found, str) and found else f"#{stem.removeprefix('_')}"


def _unpacked(path: Path) -> Iterator[bytes]:
    with gzip.open(path) as lines:
        yield from lines
