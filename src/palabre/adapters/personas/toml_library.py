"""Personas and topic rules out of TOML files that people edit."""

import asyncio
import logging
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from palabre.adapters.personas.persona_file import PersonaFile
from palabre.adapters.personas.read_files import ReadFiles
from palabre.adapters.personas.topics_file import Topics, read_topics
from palabre.core.personas.errors import PersonaFilesError, Problem
from palabre.core.personas.model import Cast
from palabre.kernel.lookalikes import nick_keys

_log = logging.getLogger(__name__)


class TomlPersonaLibrary:
    """Reads `<directory>/<id>.toml`; what was changed is seen at each `load`.

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
        self._read_files = ReadFiles()
        self._reported_missing: set[Path] = set()

    async def load(self) -> Cast:
        """Return all personas and their topic rules as they are written now.

        Files with mistakes are left out; of two that ask for one name, the one read later.

        Raises:
            PersonaFilesError: There are mistakes, and nobody is left; says all of them.
        """
        return await asyncio.to_thread(self._read)

    def _read(self) -> Cast:
        files = self._read_files.read(self._paths())
        sound = _with_own_nicks(files)
        problems = [problem for file in files for problem in file.problems]
        topics = self._read_topics(problems)
        if problems and not sound:
            raise PersonaFilesError(problems)
        sound.sort(key=lambda file: (file.order, file.path.stem))
        personas = tuple(file.persona for file in sound if file.persona)
        return Cast(personas, topics.rules, topics.dispatcher, tuple(problems))

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
            _log.debug("no personas or topics at %s", path)
        return True


def _persona_paths(directory: Path) -> Iterator[Path]:
    for path in sorted(directory.glob("*.toml")):
        # Editors leave hidden files beside the one that is open.
        if path.is_file() and not path.name.startswith("."):
            yield path


def _with_own_nicks(files: Sequence[PersonaFile]) -> list[PersonaFile]:
    """Return the files without mistakes whose nicks can be told apart, as those of people can.

    A nick that is taken becomes one of its file's problems, even if the file has others.
    """
    sound: list[PersonaFile] = []
    for file in sorted(files, key=lambda file: file.persona is None):
        keys = nick_keys(file.nick)
        other = next((each for each in sound if file.nick and keys & nick_keys(each.nick)), None)
        if other:
            data = {"nick": file.nick, "other": str(other.path)}
            file.problems.append(Problem(str(file.path), "same_nick", data))
        elif file.persona:
            sound.append(file)
    return sound
