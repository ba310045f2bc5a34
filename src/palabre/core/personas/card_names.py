"""Names of strangers' cards made fit for rooms and for files. Pure."""

import re
import unicodedata
from collections.abc import Collection

from palabre.core.personas.limits import MAX_ID
from palabre.core.personas.nicks import MAX_NICK, MAX_RAW_NICK, MIN_CHOSEN_NICK, NICK_LETTER
from palabre.core.personas.words import folded
from palabre.kernel.ids import Nick, PersonaId
from palabre.kernel.lookalikes import nick_keys

NAMELESS = "Persona"

_NO_NICK_LETTERS = re.compile(rf"(?:(?!{NICK_LETTER}).)+", re.DOTALL)
_NO_ID_LETTERS = re.compile(r"[^a-z0-9_-]+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def clean(words: str) -> str:
    """Return *words* without control characters, with plain line ends, trimmed."""
    lines = words.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", lines).strip()


def one_line(words: str) -> str:
    """Return *words* on one line."""
    return " ".join(clean(words).split())


def fit_nick(name: str) -> Nick:
    """Return the nick that is most like *name*; `NAMELESS` where no letter of it can stay."""
    plain = unicodedata.normalize("NFKC", one_line(name[:MAX_RAW_NICK]))
    nick = _NO_NICK_LETTERS.sub("_", plain).strip("_-")[:MAX_NICK].rstrip("_-")
    return Nick(nick if len(nick) >= MIN_CHOSEN_NICK else NAMELESS)


def free_nick(nick: Nick, taken: Collection[str]) -> Nick:
    """Return *nick*, or the first of `nick-2`, `nick-3` ... that none of *taken* looks like."""
    keys = frozenset(key for each in taken for key in nick_keys(each))
    wished, number = nick, 1
    while nick_keys(wished) & keys:
        number += 1
        end = f"-{number}"
        wished = Nick(f"{nick[: MAX_NICK - len(end)]}{end}")
    return wished


def fit_id(nick: Nick) -> PersonaId:
    """Return the id that is most like *nick*."""
    letters = _NO_ID_LETTERS.sub("-", folded(nick)).strip("-_")[:MAX_ID]
    return PersonaId(letters or NAMELESS.lower())


def free_id(persona_id: PersonaId, taken: Collection[str]) -> PersonaId:
    """Return *persona_id*, or the first of `id-2`, `id-3` ... that is not *taken*."""
    wished, number = persona_id, 1
    while wished in taken:
        number += 1
        end = f"-{number}"
        wished = PersonaId(f"{persona_id[: MAX_ID - len(end)]}{end}")
    return wished


def is_id(words: str) -> bool:
    """Say whether a persona's file can be called *words*."""
    return _ID.fullmatch(words) is not None
