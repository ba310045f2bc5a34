"""The topic rules: who answers when nobody was called by name."""

import unicodedata
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from palabre.adapters.personas.table import read_toml, to_struct
from palabre.core.personas.errors import PersonaFilesError, Problem
from palabre.core.personas.model import TopicRule
from palabre.kernel.ids import Nick

_Word = Annotated[str, Meta(max_length=50, pattern=r"\A[^\W_]+\Z")]
_Nick = Annotated[str, Meta(min_length=2, max_length=24)]


class _TopicsTable(msgspec.Struct):
    topics: Annotated[tuple[dict[str, object], ...], Meta(max_length=100)] = ()


class _TopicTable(msgspec.Struct):
    topic: Annotated[str, Meta(min_length=1, max_length=50)]
    nicks: Annotated[tuple[_Nick, ...], Meta(min_length=1, max_length=20)]
    words: Annotated[tuple[_Word, ...], Meta(min_length=1, max_length=1000)]


def read_topics(path: Path) -> tuple[TopicRule, ...]:
    """Return the rules at *path*, in the order in which they are tried.

    Raises:
        PersonaFilesError: The file does not hold rules; says all that is wrong.
    """
    rules: list[TopicRule] = []
    problems: list[Problem] = []
    for table in to_struct(read_toml(path), _TopicsTable, str(path)).topics:
        try:
            rules.append(_to_rule(to_struct(table, _TopicTable, str(path))))
        except PersonaFilesError as error:
            problems += error.problems
    if problems:
        raise PersonaFilesError(problems)
    return tuple(rules)


def _to_rule(table: _TopicTable) -> TopicRule:
    words = frozenset(_without_accents(word) for word in table.words)
    return TopicRule(table.topic, words, tuple(Nick(nick) for nick in table.nicks))


def _without_accents(word: str) -> str:
    letters = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
