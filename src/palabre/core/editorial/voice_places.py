"""Recordings lie by their personas' nicks: who would share a place, and what moves with a name.

File names know fewer letters than nicks: those of `Zoé` and `Zoè` are the same.
"""

from collections.abc import Iterable

from palabre.core.editorial.errors import SampleNameSharedError
from palabre.core.editorial.model import DeskPersona
from palabre.core.editorial.ports import VoiceShelf
from palabre.kernel.ids import Nick, PersonaId


def sharer_of(
    nick: Nick, own: PersonaId, personas: Iterable[DeskPersona], shelf: VoiceShelf
) -> DeskPersona | None:
    """Return another of *personas* whose recording lies where that of *nick* does, if any."""
    place = shelf.path(nick)
    others = (each for each in personas if each.id != own)
    return next((each for each in others if shelf.path(each.persona.nick) == place), None)


async def demand_place(
    nick: Nick, persona: DeskPersona, personas: Iterable[DeskPersona], shelf: VoiceShelf
) -> None:
    """Check that *persona*, once it is called *nick*, takes nobody's recording away.

    Raises:
        SampleNameSharedError: Somebody else's lies there.
    """
    sharer = sharer_of(nick, persona.id, personas, shelf)
    if sharer is not None and await shelf.size_bytes(nick) is not None:
        raise SampleNameSharedError(other=sharer.name, file=shelf.path(nick))


async def follow_name(
    old: Nick, persona: DeskPersona, personas: Iterable[DeskPersona], shelf: VoiceShelf
) -> None:
    """Let the recording of *persona*, which was called *old*, lie by its present nick.

    What somebody else has as well stays.

    Raises:
        StorageError: It could not be renamed.
    """
    nick = persona.persona.nick
    if nick != old and sharer_of(old, persona.id, personas, shelf) is None:
        await shelf.rename(old, nick)
