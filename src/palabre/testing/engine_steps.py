"""What steps stand on, in memory."""

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from palabre.core.engine.artifacts import Artifact, ArtifactFile, FileFormat, Kind, Record
from palabre.core.engine.errors import (
    ArtifactNotFoundError,
    CommandFailedError,
    DatasetUnreadableError,
)
from palabre.core.engine.model import NodeId, RunId
from palabre.core.engine.ports import Command, Ended
from palabre.core.engine.reading import as_record
from palabre.core.engine.services import Services
from palabre.core.engine.step import StepCall, StepContext
from palabre.core.tools.model import Json
from palabre.kernel.text import Text

PIECE = 3
"""Rows in a piece, few so that tests see what happens between pieces."""

Contents = dict[tuple[str, str, str], bytes]
"""Bytes of files by run, step and name."""


class MemoryFolder:
    """`DatasetFolder` of the files it is given, by path; *piece_chars* at a time."""

    def __init__(self, files: Mapping[str, str], piece_chars: int = 7) -> None:
        self._files = files
        self._piece_chars = piece_chars

    async def files(self, path: str) -> Sequence[str]:
        start = f"{path.rstrip('/')}/"
        found = sorted(each for each in self._files if each == path or each.startswith(start))
        if not found:
            raise ArtifactNotFoundError(artifact=path)
        return found

    async def text(self, path: str) -> AsyncGenerator[str]:
        if path not in self._files:
            raise ArtifactNotFoundError(artifact=path)
        whole = self._files[path]
        for start in range(0, len(whole), self._piece_chars):
            yield whole[start : start + self._piece_chars]


@dataclass(slots=True)
class _Writer:
    written: bytearray = field(default_factory=bytearray)
    records: int = 0

    async def write(self, records: Sequence[Record]) -> None:
        for each in records:
            self.written += json.dumps(each, ensure_ascii=False).encode() + b"\n"
            self.records += 1


class MemoryStepFiles:
    """`StepFiles` in *contents*, which may be shared with other steps."""

    def __init__(self, run_id: RunId, node_id: NodeId, contents: Contents) -> None:
        self._place = (run_id, node_id)
        self._contents = contents
        self._files: dict[str, list[ArtifactFile]] = {}
        self._opened: list[str] = []

    async def records(
        self, artifact: Artifact, part: str | None = None
    ) -> AsyncGenerator[list[Record]]:
        for file in artifact.files:
            if part in {None, file.part}:
                rows = rows_of(self._contents, artifact, file)
                for start in range(0, len(rows), PIECE):
                    await asyncio.sleep(0)
                    yield rows[start : start + PIECE]

    @asynccontextmanager
    async def writing(self, output: str, part: str = "") -> AsyncGenerator[_Writer]:
        writer = _Writer()
        name = ".".join(each for each in (output, part, "jsonl") if each)
        self._opened.append(name)
        yield writer
        self._add(output, name, "jsonl", bytes(writer.written), part, writer.records)

    async def keep(self, output: str, format_: FileFormat, content: bytes) -> None:
        self._add(output, f"{output}.{format_}", format_, content, "", None)

    def folder(self) -> str:
        return "/".join(("", *self._place))

    async def adopt(self, output: str, name: str, format_: FileFormat) -> None:
        content = self._contents.get((*self._place, name))
        if content is None:
            raise ArtifactNotFoundError(artifact=name)
        self._add(output, name, format_, content, "", None)

    def path(self, artifact: Artifact, part: str = "") -> str:
        name = next((each.name for each in artifact.files if each.part == part), None)
        if name is None:
            raise ArtifactNotFoundError(artifact=f"{artifact.output} {part}")
        return f"/{artifact.run_id}/{artifact.step_id}/{name}"

    async def artifact(
        self, output: str, kind: Kind, payload: Mapping[str, Json] | None = None
    ) -> Artifact:
        files = sorted(self._files.get(output, ()), key=lambda each: self._opened.index(each.name))
        return Artifact(*self._place, output, kind, tuple(files), payload or {})

    def _add(
        self,
        output: str,
        name: str,
        format_: FileFormat,
        content: bytes,
        part: str,
        records: int | None,
    ) -> None:
        self._contents[*self._place, name] = content
        self._opened += [] if name in self._opened else [name]
        digest = hashlib.sha256(content).hexdigest()
        file = ArtifactFile(name, format_, len(content), digest, part, records)
        self._files.setdefault(output, []).append(file)


def rows_of(contents: Contents, artifact: Artifact, file: ArtifactFile) -> list[Record]:
    """Return the rows of one file of *artifact*; raises `ArtifactNotFoundError` if it is gone."""
    content = contents.get((artifact.run_id, artifact.step_id, file.name))
    if content is None:
        raise ArtifactNotFoundError(artifact=file.name)
    lines = enumerate(content.decode().split("\n"), 1)
    return [_row(line, file.name, number) for number, line in lines if line]


def _row(line: str, file: str, number: int) -> Record:
    try:
        return as_record(json.loads(line), file, number)
    except ValueError as error:
        raise DatasetUnreadableError(file=file, line=number, detail=str(error)) from error


class RecordingReporter:
    """Keeps what it is told.

    Attributes:
        cancelled: Set by a test to end the step at its next look.
    """

    def __init__(self) -> None:
        self.percents: list[float] = []
        self.messages: list[Text] = []
        self.lines: list[str] = []
        self.metrics: list[tuple[str, float, int]] = []
        self.cancelled = False

    def progress(self, percent: float, message: Text | None = None) -> None:
        self.percents.append(percent)
        self.messages += [message] if message else []

    def log(self, line: str) -> None:
        self.lines.append(line)

    def metric(self, name: str, value: float, at: int) -> None:
        self.metrics.append((name, value, at))

    def check(self) -> None:
        if self.cancelled:
            raise asyncio.CancelledError


class ScriptedSandbox:
    """`Sandbox` that runs nothing: it tells the lines and the end of the next script.

    Attributes:
        commands: What it was asked to run.
    """

    def __init__(self, *scripts: tuple[Sequence[str], Ended], missing: Sequence[str] = ()) -> None:
        self.commands: list[Command] = []
        self._scripts = list(scripts)
        self._missing = missing

    async def run(self, command: Command, on_line: Callable[[str], None]) -> Ended:
        self.commands.append(command)
        if not self._scripts:
            raise CommandFailedError(command=command.words[0], status=127, detail="no script")
        lines, ended = self._scripts.pop(0)
        for line in lines:
            await asyncio.sleep(0)
            on_line(line)
        return ended

    async def missing(self) -> Sequence[str]:
        return self._missing


def a_context(call: StepCall, contents: Contents, services: Services | None = None) -> StepContext:
    """Return a context for *call* whose files are in *contents*, with a `RecordingReporter`."""
    files = MemoryStepFiles(call.run_id, call.node_id, contents)
    return StepContext(files, RecordingReporter(), services or Services())


async def a_dataset(
    contents: Contents,
    rows: Mapping[str, Iterable[Record]] | Iterable[Record],
    kind: Kind = Kind.DATASET,
) -> Artifact:
    """Put *rows*, or those of each share, into *contents*; return the artifact that holds them."""
    files = MemoryStepFiles(RunId("run_before"), NodeId("source"), contents)
    shares = rows if isinstance(rows, Mapping) else {"": rows}
    for part, given in shares.items():
        async with files.writing("dataset", part) as writer:
            await writer.write(list(given))
    return await files.artifact("dataset", kind)
