"""Counts of what was said, put together (analytics of seed 000 §15; shape in its facts, 3.2)."""

from collections import Counter
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import date

from palabre.core.history.counting import UPLOAD
from palabre.core.history.model import RAW, SYSTEM, Count

TOP = 10


@dataclass(slots=True)
class Summary:
    """What the counts of some days come to.

    Attributes:
        personas: Messages of each persona, by its nick.
        users: Messages of people.
        systems: Lines of the rooms themselves, uploads left out.
        per_day: Lines of each day.
    """

    total: int = 0
    personas: Counter[str] = field(default_factory=Counter)
    users: int = 0
    systems: int = 0
    uploads: int = 0
    per_day: Counter[date] = field(default_factory=Counter)

    @property
    def top(self) -> list[tuple[str, int]]:
        """The personas who said most, with their messages."""
        return sorted(self.personas.items(), key=lambda each: (-each[1], each[0]))[:TOP]


def summarise(counts: Iterable[Count], persona_nicks: AbstractSet[str]) -> Summary:
    """Put *counts* together; who is in *persona_nicks* is a persona, everybody else a person."""
    summary = Summary()
    for each in counts:
        if each.kind == RAW:
            continue
        summary.total += each.count
        summary.per_day[each.date] += each.count
        _sort(summary, each, is_persona=each.nick in persona_nicks)
    return summary


def _sort(summary: Summary, each: Count, *, is_persona: bool) -> None:
    if each.kind == UPLOAD:
        summary.uploads += each.count
    elif each.kind == SYSTEM:
        summary.systems += each.count
    elif is_persona:
        summary.personas[each.nick] += each.count
    else:
        summary.users += each.count
