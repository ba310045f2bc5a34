"""Share a file from the terminal: `/upload PATH` is the client's own command.

Source: seed 000 §5.6 (the frame), §5.10 (12 MB). The server says what it makes of the file.
"""

import base64
import mimetypes
import re
from pathlib import Path

from palabre.wire.rooms import SendUpload

MAX_FILE_BYTES = 12 * 1024 * 1024
MAX_NAME = 255
_COMMAND = re.compile(r"/upload(?:\s+(?P<path>.*))?", re.IGNORECASE | re.DOTALL)
_QUOTES = ("'", '"')


class UploadRefusal(Exception):  # noqa: N818  the file is refused, nothing failed
    """A file that is not sent.

    Attributes:
        reason: The text `tui.upload.<reason>`.
        detail: What the system said; empty when the reason says all.
    """

    def __init__(self, reason: str, name: str, size_bytes: int = 0, detail: str = "") -> None:
        super().__init__(reason, name)
        self.reason = reason
        self.name = name
        self.size_bytes = size_bytes
        self.detail = detail


def path_of(line: str) -> str | None:
    """Return the path in an `/upload` line, empty when it has none; None for another line.

    Quotes around the path, as shells and file managers put them, are taken off.
    """
    found = _COMMAND.fullmatch(line.strip())
    if found is None:
        return None
    return unquoted(found["path"] or "")


def unquoted(path: str) -> str:
    """Return *path* without the quotes around it or the strokes before its blanks."""
    path = path.strip()
    if len(path) > 1 and path[0] in _QUOTES and path[-1] == path[0]:
        return path[1:-1]
    return path.replace("\\ ", " ")


def read_upload(path: str) -> SendUpload:
    """Read the file at *path*, where `~` is the user's home. Blocks.

    Raises:
        UploadRefusal: It is not there, no file, empty, too large or cannot be read.
    """
    file = Path(path).expanduser()
    name = file.name[-MAX_NAME:]
    try:
        _check(file, name)
        content = file.read_bytes()
    except OSError as error:
        raise UploadRefusal("unreadable", name, detail=error.strerror or str(error)) from error
    mime, _ = mimetypes.guess_type(name)
    data = base64.b64encode(content).decode("ascii")
    return SendUpload(name, mime or "application/octet-stream", data, len(content))


def _check(file: Path, name: str) -> None:
    """Look at the size before anything is read."""
    if not file.exists():
        raise UploadRefusal("missing", str(file))
    if not file.is_file():
        raise UploadRefusal("no_file", str(file))
    size_bytes = file.stat().st_size
    if size_bytes == 0:
        raise UploadRefusal("empty", name)
    if size_bytes > MAX_FILE_BYTES:
        raise UploadRefusal("too_large", name, size_bytes)


def kilobytes(size_bytes: int) -> str:
    """Return a size in KB, as the room tells it (seed 000 §5.10, step 4)."""
    return f"{size_bytes / 1024:.1f}"


def megabytes(size_bytes: int) -> str:
    """Return a size in MB, rounded up to a tenth: too much never reads as the limit."""
    tenths = -(-size_bytes * 10 // (1024 * 1024))
    return f"{tenths // 10}.{tenths % 10}".removesuffix(".0")
