"""What users read, in French (the seeds' words to the letter) and English.

One file a language, the same keys in both. `say` finds the words for a `kernel.text.Text`.
"""

import tomllib
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Literal, get_args

from palabre.kernel.text import Text

Language = Literal["fr", "en"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


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
