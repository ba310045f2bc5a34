"""Personas and topic rules out of TOML files that people edit."""

import asyncio
import logging
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from palabre.adapters.personas.persona_file import PersonaFile, read_persona
from palabre.adapters.personas.topics_file import Topics, read_topics
from palabre.core.personas.errors import PersonaFilesError, Problem
from palabre.core.personas.model import Cast
from palabre.core.personas.nicks import nick_keys

_log = logging.getLogger(__name__)


class TomlPersonaLibrary:
    """Reads `<directory>/<id>.toml`, anew at each `load`.

    A file in a later directory replaces the one of the same id in an earlier directory, or
    removes it with `enabled = false`. A directory or topics file that does not exist holds
    nothing; that is logged once.

    Args:
        directories: Where persona files are.
        topics: The file of topic rules; None means no rules.
        files: Single persona files, read as if they lay in the last directory.
    """

    def __init__(
        self,
        directories: Sequence[Path],
        topics: Path | None = None,
        files: Sequence[Path] = (),
    ) -> None:
        self._directories = tuple(directories)
        self._topics = topics
        self._files = tuple(files)
        self._reported_missing: set[Path] = set()

    async def load(self) -> Cast:
        """Return all personas and their topic rules as they are written now.

        Raises:
            PersonaFilesError: Some files are wrong; names every problem of every file.
        """
        return await asyncio.to_thread(self._read)

    def _read(self) -> Cast:
        problems: list[Problem] = []
        files = self._read_personas(problems)
        topics = self._read_topics(problems)
        problems += _same_nicks(files)
        if problems:
            raise PersonaFilesError(problems)
        personas = tuple(file.persona for file in files)
        return Cast(personas, topics.rules, topics.dispatcher)

    def _read_personas(self, problems: list[Problem]) -> list[PersonaFile]:
        files: list[PersonaFile] = []
        for path in self._paths():
            try:
                file = read_persona(path)
            except PersonaFilesError as error:
                problems += error.problems
                continue
            if file:
                files.append(file)
        return sorted(files, key=lambda file: (file.order, file.persona.id))

    def _read_topics(self, problems: list[Problem]) -> Topics:
        if not self._topics or self._is_missing(self._topics):
            return Topics()
        try:
            return read_topics(self._topics)
        except PersonaFilesError as error:
            problems += error.problems
            return Topics()

    def _paths(self) -> Iterable[Path]:
        chosen: dict[str, Path] = {}
        for directory in self._directories:
            if not self._is_missing(directory):
                chosen |= {path.stem: path for path in _persona_paths(directory)}
        chosen |= {path.stem: path for path in self._files}
        return chosen.values()

    def _is_missing(self, path: Path) -> bool:
        if path.exists():
            return False
        if path not in self._reported_missing:
            self._reported_missing.add(path)
            _log.info("no personas or topics at %s", path)
        return True


def _persona_paths(directory: Path) -> Iterator[Path]:
    for path in sorted(directory.glob("*.toml")):
        # Editors leave hidden files beside the one that is open.
        if path.is_file() and not path.name.startswith("."):
            yield path


def _same_nicks(files: Sequence[PersonaFile]) -> Iterator[Problem]:
    """Find nicks that cannot be told apart; people are held to the same."""
    keys = [nick_keys(file.persona.nick) for file in files]
    for index, file in enumerate(files):
        others = (files[earlier] for earlier in range(index) if keys[earlier] & keys[index])
        if other := next(others, None):
            data = {"nick": file.persona.nick, "other": str(other.path)}
            yield Problem(str(file.path), "same_nick", data)
