"""Reads the whole book, and says whether it is as it was written."""

from collections.abc import Callable
from dataclasses import dataclass

from palabre.core.audit.chain import Reading
from palabre.core.audit.model import FIRST_HASH, Verdict
from palabre.core.audit.ports import Ledger


@dataclass(frozen=True, slots=True)
class Inspection:
    """What was found in the book.

    Attributes:
        has_expected: Whether an entry has the hash that was asked for; None if none was.
    """

    verdict: Verdict
    has_expected: bool | None

    @property
    def is_whole(self) -> bool:
        """Whether nothing was changed, and nothing cut off as far as can be known."""
        return self.verdict.broken_at is None and self.has_expected is not False


def _ignore(_count: int) -> None:
    pass


async def inspect(
    ledger: Ledger, expected_hash: str = "", progress: Callable[[int], None] = _ignore
) -> Inspection:
    """Read the book of *ledger* from its beginning.

    Args:
        ledger: Whose book.
        expected_hash: Of an entry that was the newest once, kept elsewhere: if none has it any
            more, the end was cut off or written anew. Empty expects nothing.
        progress: Told how many entries were read by then.

    Raises:
        StorageError: The book cannot be read.
    """
    reading = Reading()
    is_there = expected_hash == FIRST_HASH
    async for page in ledger.pages():
        reading.read(page)
        is_there = is_there or any(each.hash == expected_hash for each in page)
        progress(reading.verdict.entries)
    return Inspection(reading.verdict, is_there if expected_hash else None)
