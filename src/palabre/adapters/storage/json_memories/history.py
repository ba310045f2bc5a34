"""The records before the present one, so that a change can be taken back."""

from pathlib import Path

from palabre.adapters.storage.atomic import sync_path, write_atomically
from palabre.adapters.storage.data_dir import make_private
from palabre.adapters.storage.errors import storage_error

MAX_KEPT = 20


class History:
    """`history/<persona id>/<number>.json`, the greatest number being the newest."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def push(self, content: bytes) -> None:
        """Keep *content*, which is about to be replaced; the oldest make room.

        Raises:
            StorageError: It cannot be kept.
        """
        numbers = self._numbers()
        if numbers and self._read(numbers[-1]) == content:
            return  # a change that was about to be made when the program was killed
        make_private(self._directory)
        write_atomically(self._path((numbers or [0])[-1] + 1), content)
        for number in numbers[: max(0, len(numbers) + 1 - MAX_KEPT)]:
            self._drop(number)

    def newest_but(self, present: bytes) -> bytes | None:
        """Return the newest that is not *present*; None if there is none.

        Raises:
            StorageError: It cannot be read.
        """
        for number in reversed(self._numbers()):
            if (content := self._read(number)) != present:
                return content
            self._drop(number)
        return None

    def drop(self) -> None:
        """Delete all of it.

        Raises:
            StorageError: It cannot be deleted.
        """
        for number in self._numbers():
            self._drop(number)
        if self._directory.is_dir():
            sync_path(self._directory)

    def _numbers(self) -> list[int]:
        try:
            names = [path.stem for path in self._directory.glob("*.json")]
        except OSError as fault:
            raise storage_error(fault) from fault
        return sorted(int(name) for name in names if name.isdecimal())

    def _path(self, number: int) -> Path:
        return self._directory / f"{number:06d}.json"

    def _read(self, number: int) -> bytes:
        try:
            return self._path(number).read_bytes()
        except OSError as fault:
            raise storage_error(fault) from fault

    def _drop(self, number: int) -> None:
        try:
            self._path(number).unlink(missing_ok=True)
        except OSError as fault:
            raise storage_error(fault) from fault
