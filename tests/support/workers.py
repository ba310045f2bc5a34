"""What the processes that read files really take."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

PROGRAM = b"palabre.adapters.media.worker_program"
_PAUSE_S = 0.004


@dataclass
class Seen:
    """What was seen of our workers.

    Attributes:
        peak_mb: Most memory that one of them had in use, by its process id.
        at_once: Most of them alive at the same moment.
    """

    peak_mb: dict[int, float] = field(default_factory=dict)
    at_once: int = 0

    @property
    def most_mb(self) -> float:
        return max(self.peak_mb.values(), default=0)


@contextmanager
def watched() -> Iterator[Seen]:
    """Look at the children of this process until the block ends."""
    seen, is_over = Seen(), threading.Event()
    watcher = threading.Thread(target=_watch, args=(seen, is_over))
    watcher.start()
    try:
        yield seen
    finally:
        is_over.set()
        watcher.join()


def workers() -> list[int]:
    """Return the ids of our workers that are alive."""
    return [child for child in _children() if PROGRAM in _read(child, "cmdline")]


def _watch(seen: Seen, is_over: threading.Event) -> None:
    while not is_over.is_set():
        alive = workers()
        seen.at_once = max(seen.at_once, len(alive))
        for process in alive:
            _note(seen, process)
        time.sleep(_PAUSE_S)


def _note(seen: Seen, process: int) -> None:
    for line in _read(process, "status").splitlines():
        if line.startswith(b"VmHWM:"):
            peak_mb = int(line.split()[1]) / 1024
            seen.peak_mb[process] = max(seen.peak_mb.get(process, 0), peak_mb)


def _children() -> Iterator[int]:
    for task in Path(f"/proc/{os.getpid()}/task").iterdir():
        try:
            yield from map(int, (task / "children").read_text().split())
        except OSError:
            continue


def _read(process: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{process}/{name}").read_bytes()
    except OSError:
        return b""
