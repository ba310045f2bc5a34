"""What users read, in French (the seeds' words to the letter) and English.

One file a language, the same keys in both. `say` finds the words for a `kernel.text.Text`. What
agrees with a number names it: `{pages} {pages:?page|pages}`.
"""

import tomllib
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import ClassVar, Literal, get_args

from palabre.kernel.text import Text

Language = Literal["fr", "en"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


class _EnglishCount(int):
    """A number that words agree with: one form for *singular*, another for all others."""

    singular: ClassVar = frozenset({1})

    def __format__(self, spec: str) -> str:
        if not spec.startswith("?"):
            return super().__format__(spec)
        one, many = spec[1:].split("|")
        return one if self in self.singular else many


class _FrenchCount(_EnglishCount):
    singular: ClassVar = frozenset({0, 1})


_COUNTS: dict[Language, type[int]] = {"fr": _FrenchCount, "en": _EnglishCount}


def say(text: Text, language: Language = "fr") -> str:
    """Return *text* in *language*.

    Raises:
        KeyError: There is no text of that code, or a placeholder has no value.
    """
    values = {
        name: "\n".join(say(line, language) for line in value)
        if isinstance(value, tuple)
        else say(value, language)
        if isinstance(value, Text)
        else _COUNTS[language](value)
        if type(value) is int
        else value
        for name, value in text.data.items()
    }
    return catalogue(language)[text.code].format_map(values)


@cache
def catalogue(language: Language) -> dict[str, str]:
    """Return every text of *language* by its dotted code."""
    source = files(__name__).joinpath(f"{language}.toml").read_text(encoding="utf-8")
    return dict(_flat(tomllib.loads(source), ""))


def placeholders(template: str) -> set[str]:
    """Return the names of the values that *template* needs."""
    return {name.split(":")[0] for _, name, _, _ in Formatter().parse(template) if name}


def _flat(table: dict[str, object], prefix: str) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for key, value in table.items():
        if isinstance(value, dict):
            rows += _flat(value, f"{prefix}{key}.")
        else:
            rows.append((f"{prefix}{key}", str(value)))
    return rows
