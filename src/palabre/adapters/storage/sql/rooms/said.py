"""Utterances as the tables hold them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from palabre.adapters.storage.jsonl.line_format import write_lines
from palabre.adapters.storage.sql.signs import sayable
from palabre.core.chat.model import Utterance
from palabre.core.history.model import NewLine
from palabre.kernel.ids import Nick


@dataclass(frozen=True, slots=True)
class Said:
    """One utterance, all of whose characters both databases can keep.

    Attributes:
        logged: With its whole text, for the log.
        short: As the context gives it back.
        size_bytes: Of the line that a context's file would have.
    """

    logged: NewLine
    short: Utterance
    size_bytes: int


def said(utterance: Utterance) -> Said:
    """Return *utterance* as the tables hold it."""
    whole = replace(utterance, nick=Nick(sayable(utterance.nick)), text=sayable(utterance.text))
    lines = write_lines(whole)
    short = lines.kept
    logged = NewLine(
        short.at, short.channel, short.nick, short.kind, whole.text, size_bytes=len(lines.log)
    )
    return Said(logged, short, len(lines.context))


def chars_of(all_said: Sequence[Said]) -> int:
    """Return how many characters the contexts' texts have."""
    return sum(len(each.short.text) for each in all_said)
