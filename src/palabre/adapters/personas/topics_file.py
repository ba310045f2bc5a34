"""The topic rules: who answers when nobody was called by name."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from palabre.adapters.personas.table import read_toml, to_struct
from palabre.core.personas.errors import PersonaFilesError, Problem
from palabre.core.personas.model import TopicRule
from palabre.core.personas.nicks import MAX_NICK, MIN_CHOSEN_NICK
from palabre.core.personas.words import folded
from palabre.kernel.ids import Nick

_Word = Annotated[str, Meta(max_length=50, pattern=r"\A[^\W_]+\Z")]
_Nick = Annotated[str, Meta(min_length=MIN_CHOSEN_NICK, max_length=MAX_NICK)]


@dataclass(frozen=True, slots=True)
class Topics:
    """What the file says: rules in the order in which they are tried, and who answers else."""

    rules: tuple[TopicRule, ...] = ()
    dispatcher: Nick | None = None


class _TopicsTable(msgspec.Struct):
    dispatcher: _Nick = "Pharmacius"  # seed 000 §13.3
    topics: Annotated[tuple[dict[str, object], ...], Meta(max_length=100)] = ()


class _TopicTable(msgspec.Struct):
    topic: Annotated[str, Meta(min_length=1, max_length=50)]
    nicks: Annotated[tuple[_Nick, ...], Meta(min_length=1, max_length=20)]
    words: Annotated[tuple[_Word, ...], Meta(min_length=1, max_length=1000)]


def read_topics(path: Path) -> Topics:
    """Return what the file at *path* says.

    Raises:
        PersonaFilesError: The file does not hold rules; says all that is wrong.
    """
    rules: list[TopicRule] = []
    problems: list[Problem] = []
    found = to_struct(read_toml(path), _TopicsTable, str(path))
    for table in found.topics:
        try:
            rules.append(_to_rule(to_struct(table, _TopicTable, str(path))))
        except PersonaFilesError as error:
            problems += error.problems
    if problems:
        raise PersonaFilesError(problems)
    return Topics(tuple(rules), Nick(found.dispatcher))


def _to_rule(table: _TopicTable) -> TopicRule:
    words = frozenset(map(folded, table.words))
    return TopicRule(table.topic, words, tuple(Nick(nick) for nick in table.nicks))
