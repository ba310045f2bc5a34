"""What a proposal changes, word by word. Pure."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from palabre.core.editorial.model import Wording

Operation = Literal["same", "added", "removed"]

_WORD = re.compile(r"\s*\S+|\s+")


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of text that stayed, came, or went."""

    operation: Operation
    text: str


@dataclass(frozen=True, slots=True)
class FieldDiff:
    """How one field changes; its parts but those removed, put together, are the new text."""

    name: Literal["name", "model", "summary"]
    parts: tuple[Part, ...]


def changes(before: Wording, after: Wording) -> tuple[FieldDiff, ...]:
    """Return the fields that differ."""
    fields = (
        FieldDiff("name", diff(before.name, after.name)),
        FieldDiff("model", diff(before.model, after.model)),
        FieldDiff("summary", diff(before.summary, after.summary)),
    )
    return tuple(each for each in fields if any(part.operation != "same" for part in each.parts))


def diff(before: str, after: str) -> tuple[Part, ...]:
    """Return how *before* becomes *after*."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    parts: list[Part] = []
    # Its "junk" keeps long texts of few different words from taking seconds.
    matcher = SequenceMatcher(None, old, new, autojunk=True)
    for _, old_at, old_end, new_at, new_end in matcher.get_opcodes():
        gone, came = "".join(old[old_at:old_end]), "".join(new[new_at:new_end])
        if gone == came:
            parts.append(Part("same", gone))
            continue
        parts += [Part("removed", gone)] if gone else []
        parts += [Part("added", came)] if came else []
    return tuple(parts)
