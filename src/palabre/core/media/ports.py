"""Who reads files, who makes media, and where they are kept."""

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from palabre.core.media.model import (
    FileType,
    GeneratedImage,
    GeneratedMusic,
    MediaItem,
    MediaKind,
    Reading,
    SharedFile,
)


class FileTyper(Protocol):
    """Tells what a file is."""

    def type_of(self, name: str, content: bytes) -> FileType:
        """Look at the first bytes of *content*, and at the extension of *name* without such.

        Raises:
            FileRefusedError: Its content is not of the seed's list.
            ExtensionRefusedError: It has no known content, and an extension that is not taken,
                or none.
        """
        ...


class FileReader(Protocol):
    """Reads hostile files where they can harm nobody."""

    async def read(self, file: SharedFile, *, ocr: bool = False) -> Reading:
        """Return what is in *file*. Cancelling the task ends the work.

        Args:
            file: What was shared.
            ocr: Whether the words in an image are wanted too: no model can look at it. Scanned
                pages of a PDF are always read like this, where that is installed.

        Raises:
            FileUnreadableError: It is damaged, protected, or more than the limits allow.
            FilesBusyError: Too many files wait to be read already.
            UpstreamError: No worker could be started.
        """
        ...

    async def aclose(self) -> None:
        """End the workers."""
        ...


class ImageGenerator(Protocol):
    """Makes pictures."""

    async def generate(self, prompt: str) -> GeneratedImage:
        """Make a picture of 1024 x 1024 pixels.

        Cancelling the task ends the work at the server too.

        Raises:
            UpstreamError: The server is not there, refuses, fails, or takes too long.
        """
        ...


class Composer(Protocol):
    """Makes music."""

    async def compose(self, prompt: str, duration_s: int) -> GeneratedMusic:
        """Make *duration_s* seconds of music.

        Raises:
            UpstreamError: The server is not there, refuses, fails, or takes too long.
        """
        ...


class MediaStore(Protocol):
    """Keeps what was made."""

    async def save(self, item: MediaItem, content: bytes) -> None:
        """Keep *content*; once this returns both survive the end of the process.

        Raises:
            StorageError: They could not be kept.
        """
        ...

    async def latest(self, kind: MediaKind, count: int = 200) -> Sequence[MediaItem]:
        """Return the newest *count* items, newest first."""
        ...

    async def find(self, kind: MediaKind, file_name: str) -> MediaItem | None:
        """Return the item of that file; None if there is none."""
        ...

    def read(self, item: MediaItem) -> AsyncGenerator[bytes]:
        """Yield the content piece by piece.

        Raises:
            StorageError: It is gone.
        """
        ...
