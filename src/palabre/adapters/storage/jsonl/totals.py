"""How much all context files hold together."""

from pathlib import Path

from palabre.core.chat.model import StoreTotals


class Totals:
    """Looks at the directory once, then keeps count. Lives in the thread that appends."""

    def __init__(self, contexts: str) -> None:
        self._contexts = contexts
        self._files = 0
        self._size_bytes = 0
        self._is_known = False

    def note(self, path: str, before: int, after: int) -> None:
        """Take in that *path*, if it is a context, went from *before* to *after* bytes."""
        if self._is_known and path.startswith(self._contexts):
            self._files += (after > 0) - (before > 0)
            self._size_bytes += after - before

    def get(self) -> StoreTotals:
        """Return the counts; empty files are no channels.

        Raises:
            OSError: The directory cannot be read.
        """
        if not self._is_known:
            sizes = [path.lstat().st_size for path in Path(self._contexts).glob("*.jsonl")]
            self._files = sum(1 for size in sizes if size)
            self._size_bytes = sum(sizes)
            self._is_known = True
        return StoreTotals(self._files, self._size_bytes)
