"""Files that people share: checked, told, read, and put before the personas (seed 000 §5.10)."""

import re
from collections.abc import Sequence

from palabre.core.media.analyst import title_of
from palabre.core.media.model import SharedFile
from palabre.core.media.ports import FileTyper
from palabre.kernel.errors import UserError
from palabre.kernel.sliding_window import SlidingWindow
from palabre.kernel.visible import is_visible

MAX_FILE_BYTES = 12 * 1024 * 1024
WINDOW_BYTES = 50 * 1024 * 1024
WINDOW_S = 60.0
MAX_NAME_CHARS = 255
UNNAMED = "fichier"

_PATH = re.compile(r"[\\/]+")


class UploadTooFastError(UserError):
    """More bytes than `WINDOW_BYTES` in `WINDOW_S` seconds."""

    code = "upload_too_fast"


class FileSizeError(UserError):
    """A file is empty, or larger than `MAX_FILE_BYTES`."""

    code = "file_size"


def upload_window() -> SlidingWindow:
    """Return the window of one client: it counts the bytes of files."""
    return SlidingWindow(WINDOW_BYTES, WINDOW_S)


def checked(
    name: str, content: bytes, *, window: SlidingWindow, now_s: float, typer: FileTyper
) -> SharedFile:
    """Return the file that was sent as *name*, if it is taken; checked in the seed's order.

    Raises:
        UploadTooFastError: The sender's window is full.
        FileSizeError: It is empty or too large.
        UserError: As `FileTyper.type_of`.
    """
    if not window.admit(now_s, len(content)):
        raise UploadTooFastError
    if not 0 < len(content) <= MAX_FILE_BYTES:
        raise FileSizeError
    shown = shown_name(name)
    return SharedFile(shown, content, typer.type_of(shown, content))


def shown_name(name: str) -> str:
    """Return the last part of *name*, without what cannot be seen; it names no path."""
    visible = "".join(filter(is_visible, name))
    last = _PATH.split(visible)[-1].strip()
    return last[-MAX_NAME_CHARS:] if last.strip(". ") else UNNAMED


def size_kb(size_bytes: int) -> str:
    """Return the size as the room is told it, such as `240.0`."""
    return f"{size_bytes / 1024:.1f}"


def put_before_personas(nick: str, name: str, analysis: Sequence[str]) -> str:
    """Return the seed's words (§5.10, step 6) around the parts of an *analysis*."""
    read = "\n".join(analysis)
    return (
        f"[L'utilisateur {nick} a partagé un fichier: {title_of(name)}]\n{read}\n\n"
        "Analyse ce fichier et donne ton avis."
    )
