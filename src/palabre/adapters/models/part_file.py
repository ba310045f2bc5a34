"""A file that grows under another name until it is whole and right."""

import errno
import hashlib
import os
import shutil
from pathlib import Path
from typing import BinaryIO

from palabre.core.models.errors import DiskFullError, WeightsError

BLOCK_BYTES = 1024 * 1024
SPARE_BYTES = 256 * BLOCK_BYTES


class WrongContentError(WeightsError):
    """What was fetched is not what was promised; it was thrown away."""


class WrongSizeError(WrongContentError):
    """It has `data["found"]` bytes or more instead of `data["wanted"]`."""

    code = "weights_size"


class WrongHashError(WrongContentError):
    """Its SHA-256 is `data["found"]` instead of `data["wanted"]`."""

    code = "weights_hash"


class PartFile:
    """`<target>.part`, renamed to `<target>` by `finish`. All methods block.

    Args:
        target: Where the file will be.
        name: What errors call it.
        sha256: What it must be; empty takes anything.
        size_bytes: How long it must be; 0 takes any length.
    """

    def __init__(self, target: Path, name: str, sha256: str, size_bytes: int) -> None:
        self._target = target
        self._path = target.with_name(f"{target.name}.part")
        self._name = name
        self._sha256 = sha256
        self._size_bytes = size_bytes
        self._file: BinaryIO | None = None
        self.length_bytes = 0

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return self._path.parent

    def open(self, *, resume: bool) -> int:
        """Open it, empty or with what an earlier try left; return its length.

        Raises:
            DiskFullError: There is no room for what is missing.
        """
        self.close()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._path.open("ab" if resume else "wb")
        self.length_bytes = self._file.tell()
        self._check_room()
        return self.length_bytes

    def write(self, block: bytes) -> None:
        """Append *block*.

        Raises:
            DiskFullError: There is no room.
            WrongContentError: It grew longer than promised.
        """
        assert self._file is not None
        try:
            self._file.write(block)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise self._full(len(block)) from error
            raise
        self.length_bytes += len(block)
        if self._size_bytes and self.length_bytes > self._size_bytes:
            self._refuse(WrongSizeError, self.length_bytes, self._size_bytes)

    def finish(self) -> None:
        """Check what is there, make it last and give it its name.

        Raises:
            WrongContentError: It is not what was promised.
        """
        assert self._file is not None
        self._file.flush()
        os.fsync(self._file.fileno())
        self.close()
        if self._size_bytes and self.length_bytes != self._size_bytes:
            self._refuse(WrongSizeError, self.length_bytes, self._size_bytes)
        if self._sha256 and (found := sha256_of(self._path)) != self._sha256:
            self._refuse(WrongHashError, found, self._sha256)
        self._path.replace(self._target)

    def close(self) -> None:
        """Close it; what is there stays for the next try."""
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def _refuse(self, kind: type[WrongContentError], found: int | str, wanted: int | str) -> None:
        self.close()
        self._path.unlink(missing_ok=True)
        raise kind(name=self._name, found=found, wanted=wanted)

    def _check_room(self) -> None:
        missing = max(self._size_bytes - self.length_bytes, 0)
        if missing and shutil.disk_usage(self._path.parent).free < missing + SPARE_BYTES:
            raise self._full(missing + SPARE_BYTES)

    def _full(self, needed_bytes: int) -> DiskFullError:
        self.close()
        free = shutil.disk_usage(self._path.parent).free
        return DiskFullError(
            name=self._name,
            folder=str(self._path.parent),
            needed_mb=needed_bytes // 1_000_000 + 1,
            free_mb=free // 1_000_000,
        )


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
