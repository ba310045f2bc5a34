"""Persona files that were read, kept as long as they stay as they are: reading takes long."""

import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from palabre.adapters.personas.persona_file import PersonaFile, read_persona

SETTLED_S = 2.0
"""A file that was changed less long ago may change again within one tick of the file system."""

Stamp = tuple[int, int, int, int]


class ReadFiles:
    """Reads files, and those that it knows again only when they were changed."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[Stamp, PersonaFile]] = {}

    def read(self, paths: Iterable[Path]) -> list[PersonaFile]:
        """Return what the files at *paths* say now; what else was known is forgotten."""
        known, found = self._known, {}
        files = []
        for path in paths:
            stamp = _stamp(path)
            was, file = known.get(path, (None, None))
            if file is None or stamp is None or stamp != was:
                file = read_persona(path)
            if stamp is not None:
                found[path] = (stamp, file)
            files.append(replace(file, problems=[*file.problems]))
        self._known = found
        return files


def _stamp(path: Path) -> Stamp | None:
    """Return what changes with the file; None while it cannot be relied on."""
    try:
        seen = path.stat()
    except OSError:
        return None
    if time.time() - seen.st_mtime < SETTLED_S:  # noqa: TID251 - a time of the file system
        return None
    return seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns
