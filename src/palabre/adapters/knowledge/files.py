"""Files as texts to be indexed."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

from charset_normalizer import from_bytes

from palabre.adapters.knowledge.errors import (
    SourceCutError,
    SourceTooLargeError,
    SourceUnreadableError,
)
from palabre.core.knowledge.model import SourceText
from palabre.core.media.model import FileKind, SharedFile
from palabre.core.media.ports import FileReader, FileTyper

PLAIN = frozenset({".md", ".markdown", ".txt", ".text", ".rst", ".org"})
OTHERS = frozenset({".csv", ".docx", ".json", ".jsonl", ".pdf", ".pptx", ".xlsx"})
MAX_FILE_MB = 100

_ENCODINGS = ("cp1252", "gb18030", "utf_16", "utf_16_be", "utf_16_le")
MAX_TEXT_BYTES = 16 * 1024 * 1024
"""Of a document that is not plain text."""

_HEADING = re.compile(r"\A\s*#{1,6}[ \t]+(\S.*?)[ \t#]*$", re.MULTILINE)
_PAGE = re.compile("\f")


class DocumentFiles:
    """Reads the files that people hand in: plain texts itself, the others by *reader*."""

    def __init__(self, typer: FileTyper, reader: FileReader) -> None:
        self._typer = typer
        self._reader = reader

    async def read(self, path: Path, title: str = "") -> SourceText:
        """Return what is in the file *path*; its source is the whole path.

        Raises:
            SourceUnreadableError: It is not there, or not allowed.
            SourceTooLargeError: It has more than `MAX_FILE_MB`.
            SourceCutError: Its end would be lost.
            UserError: It is of a kind that is not read, damaged or protected.
            UpstreamError: It cannot be read now.
        """
        source = str(await asyncio.to_thread(path.resolve))
        content = await asyncio.to_thread(_content, path)
        if path.suffix.lower() in PLAIN:
            text = await asyncio.to_thread(decoded, str(path), content)
        else:
            text = await self._extracted(path, content)
        return named(text, source, title or path.stem, ask_text=not title)

    async def _extracted(self, path: Path, content: bytes) -> str:
        kind = self._typer.type_of(path.name, content)
        if kind.kind not in {FileKind.TEXT, FileKind.PDF, FileKind.DOCUMENT}:
            raise SourceUnreadableError(path=str(path), detail=kind.mime)
        shared = SharedFile(path.name, content, kind)
        reading = await self._reader.read(shared, text_bytes=MAX_TEXT_BYTES)
        if reading.is_cut:
            raise SourceCutError(path=str(path))
        return reading.text


def named(text: str, source: str, title: str, *, ask_text: bool = True) -> SourceText:
    """Return *text* with its title: its own first heading, unless it is not asked for one."""
    heading = _HEADING.search(text) if ask_text else None
    pages = [found.end() for found in _PAGE.finditer(text.rstrip("\f"))]
    return SourceText(source, heading[1] if heading else title, text, (0, *pages) if pages else ())


def files_in(path: Path) -> list[Path]:
    """Return *path*, or the files below the folder *path* that can be documents, in order."""
    return sorted(_documents(path)) if path.is_dir() else [path]


def _documents(folder: Path) -> Iterator[Path]:
    for each in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in each.relative_to(folder).parts)
        if each.suffix.lower() in PLAIN | OTHERS and not hidden and each.is_file():
            yield each


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_FILE_MB * 1000**2:
            raise SourceTooLargeError(path=str(path), limit_mb=MAX_FILE_MB)
        return path.read_bytes()
    except OSError as fault:
        detail = fault.strerror or type(fault).__name__
        raise SourceUnreadableError(path=str(path), detail=detail) from fault


def decoded(name: str, content: bytes) -> str:
    """Return the text of *content*, in whatever usual encoding it is; lines end as on Unix.

    Raises:
        SourceUnreadableError: It is no text.
    """
    if len(content) > MAX_FILE_MB * 1000**2:
        raise SourceTooLargeError(path=name, limit_mb=MAX_FILE_MB)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        found = from_bytes(content, cp_isolation=list(_ENCODINGS)).best()
        if found is None:
            raise SourceUnreadableError(path=name, detail="no text") from None
        text = str(found)
    return text.replace("\r\n", "\n").replace("\r", "\n")
