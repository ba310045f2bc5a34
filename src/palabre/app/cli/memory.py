"""`palabre memory`: what personas remember, and how to have something forgotten."""

import asyncio
import sys
from typing import Annotated

import typer

from palabre.adapters.storage.json_memories.record_file import write_record
from palabre.app.cli.console import plain_console
from palabre.app.cli.options import ConfigOption, JsonOption
from palabre.app.clock import SystemClock
from palabre.app.editorial_desk import edited_cast
from palabre.app.settings import Settings, load_settings
from palabre.app.storage import opened_memories
from palabre.core.memory.errors import NoSuchFactError, NothingToUndoError
from palabre.core.memory.model import Record
from palabre.core.memory.revising import emptied, without_fact
from palabre.core.memory.telling import memory_page
from palabre.core.personas.errors import UnknownPersonaError
from palabre.core.personas.model import Persona
from palabre.kernel.clock import iso_utc, whole_ms
from palabre.kernel.text import Text, text
from palabre.texts import Language, say

app = typer.Typer(no_args_is_help=True)

PersonaArgument = Annotated[str, typer.Argument(metavar="PERSONA", help="Name or id, in any case.")]


@app.command()
def show(
    persona: PersonaArgument, *, config: ConfigOption = None, as_json: JsonOption = False
) -> None:
    """Print what a persona remembers, its facts numbered, and who said what they come from.

    **Examples**

    `palabre memory show Schaeffer`

    `palabre memory show Schaeffer --json`
    """
    settings = load_settings(config=config).settings
    found = _find(persona, settings)
    record = asyncio.run(_record(settings, found))
    if as_json:
        _print_json(record, settings)
        return
    _print(memory_page(found.nick, record.memory), settings.language)
    for line in _origins(record):
        _print(line, settings.language)


@app.command()
def forget(
    persona: PersonaArgument,
    number: Annotated[
        int | None, typer.Argument(metavar="NUMBER", help="The fact's number, as `show` prints it.")
    ] = None,
    *,
    everything: Annotated[bool, typer.Option("--all", help="Forget everything.")] = False,
    for_good: Annotated[
        bool, typer.Option("--for-good", help="Delete what `undo` would go back to as well.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Have a persona forget one fact, or everything; it asks first.

    Nothing is learnt any more from what was said until then. The server may be running.

    **Examples**

    `palabre memory forget Schaeffer 2`

    `palabre memory forget Schaeffer --all --for-good --yes`
    """
    if (number is None) is not everything:
        raise typer.BadParameter("give the number of a fact, or --all")
    settings = load_settings(config=config).settings
    found = _find(persona, settings)
    record = asyncio.run(_record(settings, found))
    fact = None if number is None else _fact(record, number)
    question = (
        text("cli.memory.ask_all", nick=found.nick, count=len(record.facts))
        if fact is None
        else text("cli.memory.ask", nick=found.nick, fact=fact)
    )
    if not yes:
        typer.confirm(say(question, settings.language), abort=True)
    left = asyncio.run(_forget(settings, found, fact, for_good=for_good))
    if as_json:
        _print_json(left, settings)
        return
    news = text("cli.memory.forgotten", nick=found.nick, count=len(left.facts))
    _print(news, settings.language)


@app.command()
def undo(
    persona: PersonaArgument, *, config: ConfigOption = None, as_json: JsonOption = False
) -> None:
    """Take the last change of a persona's memory back; again and again, one change at a time.

    **Examples**

    `palabre memory undo Schaeffer`
    """
    settings = load_settings(config=config).settings
    found = _find(persona, settings)
    record = asyncio.run(_undo(settings, found))
    if record is None:
        raise NothingToUndoError(nick=found.nick)
    if as_json:
        _print_json(record, settings)
        return
    _print(text("cli.memory.undone", nick=found.nick), settings.language)
    _print(memory_page(found.nick, record.memory), settings.language)


def _print_json(record: Record, settings: Settings) -> None:
    """Print *record* as its file holds it."""
    sys.stdout.write(write_record(record, settings.memory.policy.compat_facts, None).decode())


def _find(name: str, settings: Settings) -> Persona:
    cast = asyncio.run(edited_cast(settings))
    if persona := cast.named(name):
        return persona
    raise UnknownPersonaError(nick=name, personas=", ".join(each.nick for each in cast.personas))


async def _record(settings: Settings, persona: Persona) -> Record:
    async with opened_memories(settings) as store:
        return await store.record(persona.id, persona.nick)


async def _undo(settings: Settings, persona: Persona) -> Record | None:
    async with opened_memories(settings) as store:
        return await store.undo(persona.id, persona.nick)


def _fact(record: Record, number: int) -> str:
    if 1 <= number <= len(record.facts):
        return record.facts[number - 1]
    raise NoSuchFactError(nick=record.nick, number=number, count=len(record.facts))


async def _forget(
    settings: Settings, persona: Persona, fact: str | None, *, for_good: bool
) -> Record:
    """Forget *fact*, wherever it stands by now; None is everything."""
    now = whole_ms(SystemClock().now())

    def edit(record: Record) -> Record:
        if fact is None:
            return emptied(record, now)
        if fact not in record.facts:  # somebody else was faster
            return record
        return without_fact(record, record.facts.index(fact) + 1, now)

    async with opened_memories(settings) as store:
        left = await store.revise(persona.id, persona.nick, edit)
        if for_good:
            await store.drop_history(persona.id)
        return left


def _origins(record: Record) -> list[Text]:
    known = {each.text: each for each in record.archive if each.author}
    found = ((number, known.get(fact)) for number, fact in enumerate(record.facts, 1))
    return [
        text(
            "cli.memory.origin",
            number=number,
            author=fact.author,
            channel=fact.channel,
            at=iso_utc(fact.message_at) if fact.message_at else "?",
        )
        for number, fact in found
        if fact is not None
    ]


def _print(words: Text, language: Language) -> None:
    plain_console().print(say(words, language), soft_wrap=True)
