"""Keep pictures and music that were shown: `/save NUMBER [PATH]` is the client's own command."""

import base64
import binascii
import re
from dataclasses import dataclass
from pathlib import Path

from palabre.surfaces.rooms.tui.upload import unquoted

MAX_MEDIA = 8
"""The last ones that can be saved; they are held in memory."""

_COMMAND = re.compile(r"/save(?:\s+(?P<number>\d{1,6})(?:\s+(?P<path>.+))?)?", re.IGNORECASE)
_ENDINGS = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/webp": "webp",
    "image/gif": "gif",
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/mpeg": "mp3",
    "audio/ogg": "ogg",
    "audio/mp4": "m4a",
    "audio/flac": "flac",
}


@dataclass(frozen=True, slots=True)
class Medium:
    """A picture or a piece of music; `data` is base64, `number` counts from 1 in a session."""

    number: int
    mime: str
    data: str


@dataclass(frozen=True, slots=True)
class SaveWish:
    """What a `/save` line asks for; `number` is None when it names none."""

    number: int | None
    path: str


class SaveRefusal(Exception):  # noqa: N818  nothing failed: it is not done
    """A medium that is not saved.

    Attributes:
        reason: The text `tui.save.<reason>`.
        name: The file it was to be written to.
        detail: What the system said.
    """

    def __init__(self, reason: str, name: str, detail: str = "") -> None:
        super().__init__(reason, name)
        self.reason = reason
        self.name = name
        self.detail = detail


def save_wish(line: str) -> SaveWish | None:
    """Return what a `/save` line asks for, or None for another line."""
    words = line.strip()
    if not re.match(r"/save(\s|$)", words, re.IGNORECASE):
        return None
    found = _COMMAND.fullmatch(words)
    if found is None or found["number"] is None:
        return SaveWish(None, "")
    return SaveWish(int(found["number"]), unquoted(found["path"] or ""))


def write_medium(medium: Medium, path: str) -> Path:
    """Write *medium* to *path*, to a name of its own there if that is a folder. Blocks.

    An empty *path* is the working directory. Nothing is ever written over.

    Raises:
        SaveRefusal: The file exists, cannot be written, or the data is broken.
    """
    file = Path(path).expanduser()
    if not path or file.is_dir():
        ending = _ENDINGS.get(medium.mime.lower().partition(";")[0].strip(), "bin")
        file = file / f"palabre-{medium.number}.{ending}"
    try:
        content = base64.b64decode(medium.data, validate=True)
        with file.open("xb") as output:
            output.write(content)
    except binascii.Error as error:
        raise SaveRefusal("broken", str(file)) from error
    except FileExistsError as error:
        raise SaveRefusal("exists", str(file)) from error
    except OSError as error:
        raise SaveRefusal("unwritable", str(file), error.strerror or str(error)) from error
    return file
