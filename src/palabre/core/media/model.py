"""Files that people share, and media that are made for them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from palabre.kernel.clock import iso_utc


class FileKind(StrEnum):
    """Which way a shared file is read (seed 000 §5.10, step 5)."""

    TEXT = "text"
    IMAGE = "image"
    AUDIO = "audio"
    PDF = "pdf"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class FileType:
    """What a file is, by its content; never by what its sender says.

    Attributes:
        mime: One of the seed's list (§5.10, step 3).
        extension: Of documents: `docx`, `xlsx`, `pptx`; else as the kind is usually called.
    """

    kind: FileKind
    mime: str
    extension: str


@dataclass(frozen=True, slots=True)
class SharedFile:
    """A file that somebody shared; *name* is made fit to be shown."""

    name: str
    content: bytes
    type: FileType


@dataclass(frozen=True, slots=True)
class Picture:
    """A decoded and re-encoded picture, small enough for a model to look at."""

    content: bytes
    mime: str
    width_px: int
    height_px: int


@dataclass(frozen=True, slots=True)
class Reading:
    """What a worker found in a file; which fields are set depends on the file's kind.

    Attributes:
        text: What can be read in it, cut to `MAX_READ_BYTES` unless more is asked for; of a
            picture or of scanned pages, what OCR found. A form feed parts the pages of a PDF.
        pages: Of a PDF; slides of a presentation; None for other kinds.
        is_cut: Whether there was more than *text* holds.
        picture: Of an image.
        wav: Of a recording: 16 bit, one channel, `speech.model.SAMPLE_RATE_HZ`.
    """

    text: str = ""
    pages: int | None = None
    is_cut: bool = False
    picture: Picture | None = None
    wav: bytes | None = None


MAX_READ_BYTES = 12_000
"""UTF-8 bytes of a file's text that personas get (seed 000 §5.10); never inside a character."""

MediaKind = Literal["image", "audio"]

MEDIA_FOLDERS: Mapping[MediaKind, str] = {"image": "images", "audio": "audio"}
"""What a kind is called on disk and in addresses (seed 000 §13.2)."""


@dataclass(frozen=True, slots=True)
class MediaItem:
    """One generated picture or piece of music that is kept (facts of seed 000, 3.2).

    Attributes:
        id: `<ms>-<8 hex>`.
        file_name: Of the content, in the store of its kind.
    """

    id: str
    kind: MediaKind
    prompt: str
    nick: str
    channel: str
    created_at: datetime
    mime: str
    file_name: str

    @property
    def described(self) -> Mapping[str, str]:
        """Its fields as the files beside contents and the gallery have them."""
        return {
            "id": self.id,
            "type": self.kind,
            "prompt": self.prompt,
            "nick": self.nick,
            "channel": self.channel,
            "createdAt": iso_utc(self.created_at),
            "mime": self.mime,
            "filename": self.file_name,
        }


@dataclass(frozen=True, slots=True)
class StoredMedia:
    """An item that can be read, and the size of its content."""

    item: MediaItem
    size_bytes: int


@dataclass(frozen=True, slots=True)
class GeneratedImage:
    """A picture made from a prompt; *seed* makes it again."""

    content: bytes
    mime: str
    seed: int


@dataclass(frozen=True, slots=True)
class GeneratedMusic:
    """A piece of music made from a prompt."""

    content: bytes
    mime: str
