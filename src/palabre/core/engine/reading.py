"""Rows of files that people bring: JSON, JSON lines, CSV, text. Sans-I/O: pieces of text go in.

What is read is never whole in memory, except one row.
"""

import csv
import json
from collections.abc import Callable, Mapping
from typing import Protocol, cast

from palabre.core.engine.artifacts import Record
from palabre.core.engine.errors import DatasetUnreadableError

MAX_ROW_CHARS = 16 * 1024 * 1024
_BLANK = " \t\r\n\ufeff"


class Reader(Protocol):
    """Takes a file piece by piece and gives its rows. Raises `DatasetUnreadableError`."""

    def feed(self, piece: str) -> list[Record]:
        """Return the rows that *piece* completes."""
        ...

    def end(self) -> list[Record]:
        """Return the rows that were complete only because the file ends."""
        ...


def reader_of(file: str) -> Reader | None:
    """Return a reader for *file*, by its ending; None for a kind that is not read."""
    kinds: dict[str, Callable[[str], Reader]] = {
        "jsonl": JsonLines,
        "ndjson": JsonLines,
        "json": JsonRows,
        "csv": CsvRows,
        "txt": TextBlocks,
        "md": TextBlocks,
    }
    kind = kinds.get(file.rpartition(".")[2].lower())
    return kind(file) if kind else None


class _Lines:
    r"""Cuts text into lines at `\n` alone; JSON may hold U+2028 and its like."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._left = ""
        self._number = 0

    def feed(self, piece: str) -> list[Record]:
        lines = (self._left + piece).split("\n")
        self._left = lines.pop()
        if len(self._left) > MAX_ROW_CHARS:
            raise self._unreadable(self._number + 1, f"> {MAX_ROW_CHARS}")
        return [row for line in lines for row in self._counted(line)]

    def end(self) -> list[Record]:
        left, self._left = self._left, ""
        return self._counted(left) if left else []

    def _counted(self, line: str) -> list[Record]:
        self._number += 1
        if self._number == 1:
            line = line.removeprefix("\ufeff")
        return self._row(line.removesuffix("\r"))

    def _row(self, line: str) -> list[Record]:
        raise NotImplementedError

    def _unreadable(self, line: int, detail: str) -> DatasetUnreadableError:
        return DatasetUnreadableError(file=self._file, line=line, detail=detail)


class JsonLines(_Lines):
    """One JSON object, or text, a line; empty lines are none."""

    def _row(self, line: str) -> list[Record]:
        if not line.strip(_BLANK):
            return []
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise self._unreadable(self._number, str(error)) from error
        return [as_record(value, self._file, self._number)]


class CsvRows(_Lines):
    """A head with the columns' names, then rows; a quoted cell may hold lines."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self._head: list[str] = []
        self._open = ""

    def end(self) -> list[Record]:
        rows = super().end()
        if self._open:
            raise self._unreadable(self._number, '"')
        return rows

    def _row(self, line: str) -> list[Record]:
        whole = self._open + line
        if len(whole) > MAX_ROW_CHARS:
            raise self._unreadable(self._number, f"> {MAX_ROW_CHARS}")
        if whole.count('"') % 2:
            self._open = f"{whole}\n"
            return []
        self._open = ""
        return self._cells(whole) if whole.strip(_BLANK) else []

    def _cells(self, whole: str) -> list[Record]:
        try:
            cells = next(csv.reader([whole], strict=True))
        except csv.Error as error:
            raise self._unreadable(self._number, str(error)) from error
        if not self._head:
            self._head = cells
            return []
        if len(cells) != len(self._head):
            raise self._unreadable(self._number, f"{len(cells)} != {len(self._head)}")
        return [dict(zip(self._head, cells, strict=True))]


class TextBlocks(_Lines):
    """Paragraphs, parted by empty lines, as `{"text": ...}`."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self._block: list[str] = []

    def end(self) -> list[Record]:
        return [*super().end(), *self._closed()]

    def _row(self, line: str) -> list[Record]:
        if not line.strip():
            return self._closed()
        self._block.append(line)
        return []

    def _closed(self) -> list[Record]:
        block, self._block = "\n".join(self._block), []
        return [{"text": block}] if block else []


class JsonRows:
    """A list of JSON objects or texts, or one object alone."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._left = ""
        self._in_list = False
        self._ended = False
        self._number = 0
        self._why = ""
        self._decoder = json.JSONDecoder()

    def feed(self, piece: str) -> list[Record]:
        self._left += piece
        rows: list[Record] = []
        while (row := self._next(ended=False)) is not None:
            rows.append(row)
        if len(self._left) > MAX_ROW_CHARS:
            raise self._unreadable(self._why)
        return rows

    def end(self) -> list[Record]:
        rows: list[Record] = []
        while (row := self._next(ended=True)) is not None:
            rows.append(row)
        if self._left.strip(_BLANK) or (self._in_list and not self._ended):
            raise self._unreadable(self._left[:40] or "]")
        return rows

    def _next(self, *, ended: bool) -> Record | None:
        """Return the next row, counted from 1; None where the text breaks off before its end."""
        self._skip()
        if not self._left or self._ended:
            return None
        try:
            value, length = self._decoder.raw_decode(self._left)
        except RecursionError as error:
            raise self._unreadable(str(error)) from error
        except ValueError as error:
            self._why = str(error)
            if ended:
                raise self._unreadable(self._why) from error
            return None
        self._left = self._left[length:]
        self._number += 1
        self._ended = not self._in_list
        return as_record(value, self._file, self._number)

    def _skip(self) -> None:
        """Take away what stands between rows."""
        self._left = self._left.lstrip(_BLANK)
        if not self._in_list and not self._number and self._left.startswith("["):
            self._in_list = True
            self._left = self._left[1:].lstrip(_BLANK)
        if self._in_list and self._number and self._left.startswith(","):
            self._left = self._left[1:].lstrip(_BLANK)
        if self._in_list and self._left.startswith("]"):
            self._ended = True
            self._left = self._left[1:]

    def _unreadable(self, detail: str) -> DatasetUnreadableError:
        return DatasetUnreadableError(file=self._file, line=self._number + 1, detail=detail)


def as_record(value: object, file: str, line: int) -> Record:
    """Return *value* as a row: an object as it is, a text as `{"text": ...}`.

    Raises:
        DatasetUnreadableError: It is neither.
    """
    if isinstance(value, str):
        return {"text": value}
    if not isinstance(value, Mapping):
        raise DatasetUnreadableError(file=file, line=line, detail='{"…": "…"}')
    return cast("Record", value)
