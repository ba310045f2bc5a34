"""What a file is, by its first bytes; by its extension when these say nothing."""

import codecs
import re

import filetype

from palabre.adapters.media.zip_directory import names_in
from palabre.core.media.errors import (
    ExtensionMissingError,
    ExtensionRefusedError,
    FileRefusedError,
)
from palabre.core.media.model import FileKind, FileType

HEAD_BYTES = 8192
_MAX_SHOWN_CHARS = 20
_OOXML = "application/vnd.openxmlformats-officedocument"

DOCUMENTS = {
    b"word/": FileType(FileKind.DOCUMENT, f"{_OOXML}.wordprocessingml.document", "docx"),
    b"xl/": FileType(FileKind.DOCUMENT, f"{_OOXML}.spreadsheetml.sheet", "xlsx"),
    b"ppt/": FileType(FileKind.DOCUMENT, f"{_OOXML}.presentationml.presentation", "pptx"),
}
"""By the folder of their parts."""

BINARIES = {
    type_.mime: type_
    for type_ in (
        FileType(FileKind.PDF, "application/pdf", "pdf"),
        FileType(FileKind.IMAGE, "image/png", "png"),
        FileType(FileKind.IMAGE, "image/jpeg", "jpg"),
        FileType(FileKind.IMAGE, "image/webp", "webp"),
        FileType(FileKind.IMAGE, "image/gif", "gif"),
        FileType(FileKind.AUDIO, "audio/wav", "wav"),
        FileType(FileKind.AUDIO, "audio/x-wav", "wav"),
        FileType(FileKind.AUDIO, "audio/mpeg", "mp3"),
        FileType(FileKind.AUDIO, "audio/ogg", "ogg"),
        FileType(FileKind.AUDIO, "audio/mp4", "m4a"),
        FileType(FileKind.AUDIO, "audio/flac", "flac"),
        FileType(FileKind.AUDIO, "audio/x-flac", "flac"),
    )
}
"""What is taken by its signature, documents apart (seed 000 §5.10, step 3)."""

TEXTS = {
    "txt": "text/plain",
    "md": "text/markdown",
    "csv": "text/csv",
    "json": "application/json",
    "jsonl": "application/json",
    "xml": "text/plain",
    "html": "text/plain",
    "yml": "text/plain",
    "yaml": "text/plain",
    "toml": "text/plain",
}
"""Extensions that are taken without a signature, and the type that they are given."""

_ZIP = "application/zip"
_WRITTEN_IN_TEXT = frozenset({"application/rtf", "application/postscript"})
_MP3 = "audio/mpeg"
_MP3_FRAME = re.compile(rb"\xff[\xe2\xe3\xf2\xf3\xfa\xfb][\x10-\xef]")
"""Starts a recording in MPEG layer III; `filetype` knows three of its forms."""


class SignatureFileTyper:
    """Looks at the first bytes, and at the names in an archive; never at what a sender says."""

    def type_of(self, name: str, content: bytes) -> FileType:
        """Return what *content* is, in a time that does not depend on its length."""
        head = content[:HEAD_BYTES]
        mime = _signature(head)
        if mime is None:
            return _by_extension(name)
        if mime == _ZIP or mime.startswith(_OOXML):
            return _document(content)
        if mime in BINARIES:
            return BINARIES[mime]
        if mime not in _WRITTEN_IN_TEXT and _extension(name) in TEXTS and _is_plain(head):
            return _by_extension(name)
        raise FileRefusedError(mime=mime)


def _signature(head: bytes) -> str | None:
    """Return the type that *head* is signed with; None for none, as of all text."""
    kind = filetype.guess(head)
    if kind is not None:
        return str(kind.mime)
    return _MP3 if _MP3_FRAME.match(head) else None


def _document(content: bytes) -> FileType:
    """Return which document a ZIP archive is: its entries may stand in any order."""
    names = list(names_in(content))
    if b"[Content_Types].xml" in names:
        for name in names:
            for folder, type_ in DOCUMENTS.items():
                if name.startswith(folder):
                    return type_
    raise FileRefusedError(mime=_ZIP)


def _by_extension(name: str) -> FileType:
    extension = _extension(name)
    if not extension:
        raise ExtensionMissingError(extension="")
    if extension not in TEXTS:
        raise ExtensionRefusedError(extension=extension)
    return FileType(FileKind.TEXT, TEXTS[extension], extension)


def _extension(name: str) -> str:
    """Return what follows the last dot, short and fit to be shown; nothing without a dot."""
    _, dot, tail = name.rpartition(".")
    shown = "".join(char for char in tail.strip().lower() if char.isprintable())
    return shown[:_MAX_SHOWN_CHARS] if dot else ""


def _is_plain(head: bytes) -> bool:
    """Whether *head* is nothing but UTF-8 text: a signature of letters is then chance.

    "BM" starts bitmaps, and "MZ" programs; none of these goes on without control characters.
    """
    try:
        words = codecs.getincrementaldecoder("utf-8")().decode(head, final=False)
    except UnicodeDecodeError:
        return False
    return all(char.isprintable() or char in "\t\n\r" for char in words)
