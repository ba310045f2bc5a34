"""Make the disk have what the kernel has, now and then, so that a power cut costs little."""

from collections.abc import Callable
from pathlib import Path
from threading import Event, Lock, Thread

from palabre.adapters.storage.atomic import sync_path
from palabre.kernel.errors import StorageError

SYNC_EVERY_S = 5.0


class DiskSync:
    """A thread that wakes only when something was written, and then syncs it at most so often."""

    def __init__(self, failed: Callable[[], None], every_s: float = SYNC_EVERY_S) -> None:
        """Start the thread; *failed* is called in it for each file that the disk refuses."""
        self._failed = failed
        self._every_s = every_s
        self._lock = Lock()
        self._touched: set[str] = set()
        self._wake = Event()
        self._stop = Event()
        self._thread = Thread(target=self._run, name="palabre-sync", daemon=True)
        self._thread.start()

    def mark(self, path: str) -> None:
        """Remember that *path* was written to."""
        with self._lock:
            self._touched.add(path)
        self._wake.set()

    def close(self) -> None:
        """Sync what is left and end the thread; waits for it."""
        self._stop.set()
        self._wake.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.wait()
            self._stop.wait(self._every_s)
            self._wake.clear()
            self._sync()
        self._sync()

    def _sync(self) -> None:
        with self._lock:
            touched, self._touched = self._touched, set()
        files = [Path(path) for path in touched]
        for path in [*files, *{file.parent for file in files}]:
            try:
                sync_path(path)
            except StorageError:
                self._failed()
