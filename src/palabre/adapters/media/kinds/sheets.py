"""Workbooks: each sheet's name, then its rows; of formulas the values that were kept."""

from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from itertools import islice

from openpyxl import load_workbook

from palabre.adapters.media.archive_check import checked
from palabre.adapters.media.clip import Clip
from palabre.adapters.media.job import Found, Job

MAX_CELLS = 200_000
MAX_ROWS = 50_000
"""Of a sheet, blank ones included: one cell in the last row makes a million of them."""


def read(job: Job) -> Found:
    """Read a `.xlsx`, row by row."""
    book = load_workbook(checked(job.contents[0]), read_only=True, data_only=True, keep_links=False)
    clip = Clip(job.text_bytes)
    for sheet in book.worksheets:
        sheet.reset_dimensions()
        rows = islice(sheet.iter_rows(values_only=True), MAX_ROWS)
        if not _add(clip, sheet.title, rows):
            break
    return Found(clip.reading())


def _add(clip: Clip, title: str, rows: Iterable[tuple[object, ...]]) -> bool:
    """Add one sheet; say whether there is room for another. An empty sheet is left out."""
    lines = _lines(rows)
    first = next(lines, None)
    if first is None:
        return True
    return clip.line(f"## {title}") and clip.line(first) and all(map(clip.line, lines))


def _lines(rows: Iterable[tuple[object, ...]]) -> Iterator[str]:
    left = MAX_CELLS
    for row in rows:
        cells = [_shown(value) for value in row[:left]]
        left -= len(cells)
        if any(cells):
            yield " | ".join(cells).rstrip(" |")
        if left <= 0:
            return


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    return " ".join(str(value).split())
