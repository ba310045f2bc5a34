"""What every persona library does."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from palabre.adapters.personas.toml_library import TomlPersonaLibrary
from palabre.core.personas.errors import PersonaFilesError, Problem
from palabre.core.personas.ports import PersonaLibrary
from palabre.kernel.errors import SetupError
from palabre.testing.personas import StaticPersonaLibrary, a_persona

Opened = tuple[PersonaLibrary, Callable[[str], None], Callable[[], None]]
"""A library without personas, how to add one by its nick, and how to spoil it."""


def static(_: Path) -> Opened:
    library = StaticPersonaLibrary()

    def add(nick: str) -> None:
        library.cast = StaticPersonaLibrary(*library.cast.personas, a_persona(nick)).cast

    def spoil() -> None:
        problems = (Problem("a.toml", "bad_id"),)
        library.cast = replace(library.cast, problems=problems)
        library.error = None if library.cast.personas else PersonaFilesError(problems)

    return library, add, spoil


def toml(folder: Path) -> Opened:
    def add(nick: str) -> None:
        keys = f'nick = "{nick}"\ncolor = "#4fc3f7"\nmodel = "m"\nprompt = "Tu es."'
        (folder / f"{nick.lower()}.toml").write_text(keys, encoding="utf-8")

    def spoil() -> None:
        (folder / "spoiled.toml").write_text("=", encoding="utf-8")

    return TomlPersonaLibrary([folder]), add, spoil


@pytest.fixture(params=[static, toml])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    return request.param(tmp_path)


async def test_a_library_without_personas_is_an_empty_cast(opened: Opened) -> None:
    library, _, _ = opened
    cast = await library.load()
    assert (cast.personas, cast.topics) == ((), ())


async def test_load_returns_what_is_there_now(opened: Opened) -> None:
    library, add, _ = opened
    add("Batty")
    await library.load()
    add("Cage")
    assert [persona.nick for persona in (await library.load()).personas] == ["Batty", "Cage"]


async def test_what_is_spoiled_is_named_and_the_others_are_there(opened: Opened) -> None:
    library, add, spoil = opened
    add("Batty")
    spoil()
    cast = await library.load()
    assert [persona.nick for persona in cast.personas] == ["Batty"]
    assert len(cast.problems) == 1


async def test_a_library_with_nobody_left_raises_and_names_its_problems(opened: Opened) -> None:
    library, _, spoil = opened
    spoil()
    with pytest.raises(SetupError) as caught:
        await library.load()
    assert caught.value.data["problems"]
