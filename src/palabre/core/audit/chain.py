"""The chain of hashes by which a change of the book is seen. Pure."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from palabre.core.audit.model import FIRST_HASH, Actor, Change, Entry, State, Verdict
from palabre.kernel.clock import iso_utc, whole_ms


def as_text(state: State) -> str:
    """Return *state* as JSON, the same for the same."""
    return kept(json.dumps(state, ensure_ascii=False, sort_keys=True, separators=(",", ":")))


def kept(words: str) -> str:
    """Return *words* with U+FFFD for what no book can keep: NUL, and halves of characters."""
    whole = words.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\0", "\ufffd")


def next_entry(change: Change, at: datetime, previous: Entry | None) -> Entry:
    """Return *change*, made at *at*, as it follows on *previous*; None begins the book."""
    number = previous.number + 1 if previous else 1
    previous_hash = previous.hash if previous else FIRST_HASH
    before, after, at = as_text(change.before), as_text(change.after), whole_ms(at)
    actor = change.actor
    unsealed = Entry(
        number,
        at,
        Actor(kept(actor.name), kept(actor.role), kept(actor.address)),
        change.action,
        kept(change.target),
        before=before,
        after=after,
        previous_hash=previous_hash,
        hash="",
    )
    return replace(unsealed, hash=hash_of(unsealed))


def hash_of(entry: Entry) -> str:
    """Return SHA-256, in hex, of all of *entry* but its own hash, as a JSON list in UTF-8."""
    actor = entry.actor
    told = [
        entry.number,
        iso_utc(entry.at),
        *(actor.name, actor.role, actor.address),
        *(entry.action, entry.target),
        *(entry.before, entry.after, entry.previous_hash),
    ]
    line = json.dumps(told, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(line.encode()).hexdigest()


class Reading:
    """Reads a book from its beginning, piece by piece."""

    def __init__(self) -> None:
        self._number = 0
        self._hash = FIRST_HASH
        self._broken_at: int | None = None

    def read(self, entries: Iterable[Entry]) -> None:
        """Go on with *entries*, in their order."""
        for entry in entries:
            follows = entry.number == self._number + 1 and entry.previous_hash == self._hash
            if self._broken_at is None and not (follows and entry.hash == hash_of(entry)):
                self._broken_at = self._number + 1
            self._number, self._hash = entry.number, entry.hash

    @property
    def verdict(self) -> Verdict:
        """What is known by now."""
        return Verdict(self._number, self._hash, self._broken_at)
