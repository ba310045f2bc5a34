"""Names that editors give, and the nicks that rooms make of them. Pure."""

import re
import unicodedata
from collections.abc import Iterable

from palabre.core.editorial.errors import InvalidPersonaNameError, PersonaNameTakenError
from palabre.core.editorial.limits import MAX_NAME_CHARS
from palabre.core.editorial.model import DeskPersona
from palabre.core.personas.nicks import NICK_LETTER
from palabre.kernel.ids import Nick, PersonaId
from palabre.kernel.lookalikes import nick_keys

_NAME = re.compile(rf"{NICK_LETTER}+(?:[ .'’]{{1,2}}{NICK_LETTER}+)*\.?")
_BETWEEN = re.compile(r"[ .'’]+")


def checked_name(words: str) -> str:
    """Return the name that *words* give: letters of nicks, and single spaces between them.

    Raises:
        InvalidPersonaNameError: They give none.
    """
    name = unicodedata.normalize("NFC", " ".join(words.split()))
    if not (0 < len(name) <= MAX_NAME_CHARS and _NAME.fullmatch(name)):
        raise InvalidPersonaNameError(name=words[:MAX_NAME_CHARS], limit=MAX_NAME_CHARS)
    return name


def nick_of(name: str) -> Nick:
    """Return what the rooms call somebody of that *name*: `Marie Curie` is `Marie_Curie`."""
    return Nick(_BETWEEN.sub("_", name).strip("_") or name)


def demand_free(name: str, personas: Iterable[DeskPersona], own: PersonaId | None = None) -> None:
    """Check that nobody of *personas* but *own* looks like *name* in a room, or may again.

    Raises:
        PersonaNameTakenError: Somebody does.
    """
    keys = nick_keys(nick_of(name))
    for each in personas:
        nicks = (each.persona.nick, each.file_nick or each.persona.nick)
        if each.id != own and any(keys & nick_keys(nick) for nick in nicks):
            raise PersonaNameTakenError(name=name, other=each.name)
