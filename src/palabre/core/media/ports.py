"""Who reads files, who makes media, and where they are kept."""

from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Protocol

from palabre.core.media.model import (
    MAX_READ_BYTES,
    FileType,
    GeneratedImage,
    GeneratedMusic,
    MediaItem,
    MediaKind,
    Reading,
    SharedFile,
    StoredMedia,
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

    async def read(
        self, file: SharedFile, *, ocr: bool = False, text_bytes: int = MAX_READ_BYTES
    ) -> Reading:
        """Return what is in *file*. Cancelling the task ends the work.

        Args:
            file: What was shared.
            ocr: Whether the words in an image are wanted too: no model can look at it. Scanned
                pages of a PDF are always read like this, where that is installed.
            text_bytes: Most text that is wanted, in UTF-8.

        Raises:
            FileUnreadableError: It is damaged, protected, or more than the limits allow.
            FilesBusyError: Too many files wait to be read already.
            UpstreamError: No worker could be started.
        """
        ...

    async def aclose(self) -> None:
        """End the workers."""
        ...


MAX_LISTED = 200
"""Items of one kind that are listed (facts of seed 000, 3.2)."""

ContentPieces = AsyncGenerator[bytes]

Progress = Callable[[int], None]
"""Is told how much of the work is done, in percent."""


class ImageGenerator(Protocol):
    """Makes pictures."""

    async def generate(self, prompt: str, progress: Progress | None = None) -> GeneratedImage:
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
            SilentServerError: The server takes too long.
            UpstreamError: It is not there, refuses, fails, or sends no music.
        """
        ...


class MediaStore(Protocol):
    """Keeps what was made, and deletes nothing of it."""

    async def save(self, item: MediaItem, content: bytes) -> None:
        """Keep *content*; once this returns both survive the end of the process.

        Raises:
            MediaFullError: There is no room left for it.
            StorageError: They could not be kept.
        """
        ...

    async def latest(self, kind: MediaKind, count: int = MAX_LISTED) -> Sequence[MediaItem]:
        """Return the newest *count* items, newest first.

        Raises:
            StorageError: They cannot be read.
        """
        ...

    async def find(self, kind: MediaKind, file_name: str) -> StoredMedia | None:
        """Return the item of that file; None if there is none, whatever *file_name* is."""
        ...

    def read(self, item: MediaItem, first: int = 0, last: int | None = None) -> ContentPieces:
        """Yield the bytes from *first* to *last* (with it; None is the end), piece by piece.

        Raises:
            StorageError: They are gone.
        """
        ...
