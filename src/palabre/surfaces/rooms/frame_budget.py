"""How much memory the large frames of all clients may hold together."""

import sys

from msgspec import UNSET

from palabre.wire import rooms as wire

MAX_HELD_BYTES = 256 * 1024 * 1024
"""Of large frames that wait or are being done, over all clients; more are refused."""

LARGE_BYTES = 1024 * 1024
"""Smaller frames are bounded by how many of them may wait."""


def held_bytes(frame: wire.ClientFrame) -> int:
    """Return the memory that *frame* holds, if it is large; 0 otherwise.

    Only `data` can be long. One letter beyond ASCII in it makes each of them up to four bytes.
    """
    if not isinstance(frame, wire.SendUpload) or frame.data is UNSET:
        return 0
    size_bytes = sys.getsizeof(frame.data)
    return size_bytes if size_bytes > LARGE_BYTES else 0


class FrameBudget:
    """What is left of the memory that all clients of one entrance share."""

    def __init__(self, max_bytes: int = MAX_HELD_BYTES) -> None:
        self._left_bytes = max_bytes

    @property
    def left_bytes(self) -> int:
        """The memory that may still be taken."""
        return self._left_bytes

    def take(self, size_bytes: int) -> bool:
        """Take *size_bytes*, or nothing and return False where they do not fit."""
        if size_bytes > self._left_bytes:
            return False
        self._left_bytes -= size_bytes
        return True

    def give_back(self, size_bytes: int) -> None:
        """Let others have *size_bytes* that were taken."""
        self._left_bytes += size_bytes
