"""The documents that personas know without being told (seed 000 §6)."""

import logging
from pathlib import Path

from palabre.adapters.knowledge.files import decoded, named
from palabre.app.settings import Settings
from palabre.core.knowledge.model import SourceText

FILES = ("manifeste.md", "manifeste_references_nouvelles.md")
SHIPPED = "knowledge"

_log = logging.getLogger(__name__)


def manifesto(settings: Settings) -> list[SourceText]:
    """Return the manifesto: each file of the data dir, or the one that comes along."""
    if not settings.knowledge.manifesto:
        return []
    read = [_read(settings, name) for name in FILES]
    return [each for each in read if each is not None]


def _read(settings: Settings, name: str) -> SourceText | None:
    own = settings.data_dir / name
    path = own if own.is_file() else settings.content_dir / SHIPPED / name
    try:
        text = decoded(str(path), path.read_bytes())
    except OSError as fault:
        _log.error("the manifesto %s cannot be read: %s", path, fault.strerror)
        return None
    # Its name is the source, wherever it lies: one's own replaces the one that comes along.
    return named(text, name, Path(name).stem)
