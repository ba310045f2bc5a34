"""`palabre persona`: who answers in the rooms."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text as Styled

from palabre.app.cli.console import plain_console, shown_json
from palabre.app.cli.failure import FAILED
from palabre.app.cli.options import ConfigOption, DataDirOption, JsonOption
from palabre.app.cli.persona_cards import export, import_
from palabre.app.cli.persona_cast import find, load_cast, load_whole_cast
from palabre.app.cli.persona_desk import (
    edit,
    export_dpo,
    feedback,
    proposals,
    revert,
    toggle,
)
from palabre.app.logs import configure_logs
from palabre.app.models import opened_registry
from palabre.app.settings import Settings, load_settings
from palabre.core.personas.errors import PersonaFilesError, Problem
from palabre.core.personas.lint import Advice, advise, advise_newcomer
from palabre.core.personas.model import Cast, Persona
from palabre.kernel.errors import UpstreamError
from palabre.kernel.text import Text, text, verbatim
from palabre.texts import Language, say

app = typer.Typer(no_args_is_help=True)
app.command(name="import")(import_)
app.command()(export)
app.command()(edit)
app.command()(toggle)
app.command()(revert)
app.command()(proposals)
app.command()(feedback)
app.command(name="export-dpo")(export_dpo)

Remark = tuple[Persona, Advice]


@app.command(name="list")
def list_(
    *, data_dir: DataDirOption = None, config: ConfigOption = None, as_json: JsonOption = False
) -> None:
    """Print every persona with its model, in the order of their introduction.

    **Examples**

    `palabre persona list`

    `palabre persona list --json`
    """
    personas = load_cast(load_settings(cli={"data_dir": data_dir}, config=config).settings).personas
    if as_json:
        columns = ("id", "nick", "color", "model", "summary", "voice", "tools")
        _echo_json([{name: getattr(persona, name) for name in columns} for persona in personas])
        return
    plain_console().print(_table(personas))


@app.command()
def show(
    nick: Annotated[str, typer.Argument(help="Name or id, in any case.")],
    *,
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print one persona: its prompt, its examples, its voice and tools.

    **Examples**

    `palabre persona show Schaeffer`

    `palabre persona show cirque --json`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    persona = find(nick, load_cast(settings))
    if as_json:
        _echo_json(asdict(persona))
        return
    # Which model stands in is not what was asked, but the log would say it.
    configure_logs("error", settings.logs.format)
    _print_persona(persona, asyncio.run(_wish(persona, settings)), settings.language)


@app.command()
def lint(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE]...", exists=True, dir_okay=False, help="Persona files."),
    ] = None,
    *,
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check persona files and give advice; without FILE, all personas.

    Mistakes end with exit code 1, mere advice with 0. A FILE is checked as if it were
    installed, so that its name and colour are compared with the others'.

    **Examples**

    `palabre persona lint`

    `palabre persona lint jardinier.toml`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    newcomers = files or []
    cast = load_whole_cast(settings, newcomers)
    problems = _of_files(cast.problems, newcomers)
    checked = _checked(cast, newcomers)
    remarks = [(persona, advice) for persona in checked for advice in _advice(persona, cast, files)]
    if as_json:
        _echo_json(_report(problems, remarks, settings.language))
    elif remarks or not problems:
        _print_remarks(remarks, len(checked), settings.language)
    if problems and not as_json:
        raise PersonaFilesError(problems)
    if problems:
        raise typer.Exit(FAILED)


def _of_files(problems: tuple[Problem, ...], files: list[Path]) -> tuple[Problem, ...]:
    """Return the *problems* in *files*; all of them when there are no files."""
    named = {str(file) for file in files}
    return tuple(each for each in problems if not named or each.file in named)


async def _wish(persona: Persona, settings: Settings) -> Text:
    """Return the model that *persona* wishes for, and whether another would answer instead."""
    async with opened_registry(settings) as registry:
        try:
            installed = not (await registry.resolve(persona.model)).substituted
        except UpstreamError:
            installed = False
    wish = verbatim(persona.model)
    return wish if installed else text("persona.not_installed", model=wish)


def _checked(cast: Cast, files: list[Path]) -> list[Persona]:
    ids = {file.stem for file in files} or {persona.id for persona in cast.personas}
    return [persona for persona in cast.personas if persona.id in ids]


def _advice(persona: Persona, cast: Cast, files: list[Path] | None) -> tuple[Advice, ...]:
    return advise_newcomer(persona, cast) if files else advise(persona, cast)


def _report(
    problems: tuple[Problem, ...], remarks: list[Remark], language: Language
) -> dict[str, object]:
    return {
        "problems": [{**asdict(each), "text": say(each.text, language)} for each in problems],
        "advice": [
            {"persona": persona.id, **asdict(advice), "text": say(advice.text, language)}
            for persona, advice in remarks
        ],
    }


def _print_remarks(remarks: list[Remark], checked: int, language: Language) -> None:
    lines: list[Text] = [
        text("persona.remark", nick=persona.nick, advice=advice.text) for persona, advice in remarks
    ]
    for line in lines or [text("persona.clean", count=checked)]:
        plain_console().print(say(line, language), soft_wrap=True)


def _print_persona(persona: Persona, model: Text, language: Language) -> None:
    facts: dict[str, Text | str] = {
        "model": model,
        "voice": persona.voice,
        "tools": ", ".join(persona.tools),
    }
    console = plain_console()
    console.print(Styled(persona.nick, style=f"bold {persona.color}"), persona.summary)
    for name, value in facts.items():
        fact = text("persona.fact", name=text(f"persona.{name}"), value=value or "-")
        console.print(say(fact, language), style="dim")
    exchanges = [f"> {each.question}\n{each.answer}" for each in persona.examples]
    for paragraph in (persona.prompt, persona.short_prompt, *exchanges):
        console.print(f"\n{paragraph}")


def _table(personas: tuple[Persona, ...]) -> Table:
    table = Table(box=None, show_header=False)
    for persona in personas:
        nick = Styled(persona.nick, style=f"bold {persona.color}")
        table.add_row(nick, Styled(persona.model, style="dim"), Styled(persona.summary))
    return table


def _echo_json(report: object) -> None:
    typer.echo(shown_json(report))
