"""The personas that commands speak of."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from palabre.app.cli.console import plain_console
from palabre.app.editorial_desk import edited_cast
from palabre.app.personas import library_for
from palabre.app.settings import Settings
from palabre.core.personas.errors import PersonaFilesError, UnknownPersonaError
from palabre.core.personas.model import Cast, Persona
from palabre.texts import say


def load_cast(settings: Settings) -> Cast:
    """Return those who speak, as editors want them; tell which files are left out."""
    cast = asyncio.run(edited_cast(settings))
    for problem in cast.problems:
        words = say(problem.text, settings.language)
        plain_console(stderr=True).print(words, style="red", soft_wrap=True)
    return cast


def load_whole_cast(settings: Settings, newcomers: Sequence[Path] = ()) -> Cast:
    """Return those who can speak, which may be nobody, *newcomers* among them."""
    try:
        return asyncio.run(library_for(settings, newcomers).load())
    except PersonaFilesError as error:
        return Cast((), problems=error.problems)


def find(nick: str, cast: Cast) -> Persona:
    """Return who is called *nick*, by name or id.

    Raises:
        UnknownPersonaError: Nobody is.
    """
    if persona := cast.named(nick):
        return persona
    raise UnknownPersonaError(nick=nick, personas=", ".join(each.nick for each in cast.personas))
