"""`palabre persona edit`, `toggle`, `revert`, `proposals`, `feedback` and `export-dpo`."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, BinaryIO, TypeVar

import typer

from palabre.app.cli.console import plain_console
from palabre.app.cli.new_file import new_file
from palabre.app.cli.options import ConfigOption, DataDirOption, JsonOption
from palabre.app.editorial_desk import DeskAtHand, opened_desk
from palabre.app.settings import Settings, load_settings
from palabre.core.audit.model import THE_MACHINE
from palabre.core.editorial.limits import MAX_SUMMARY_CHARS
from palabre.core.editorial.model import DeskPersona, Feedback, Proposal
from palabre.core.editorial.opinions import called
from palabre.core.editorial.pairs import Pair
from palabre.core.editorial.proposing import MAX_LISTED
from palabre.core.editorial.traits import Traits
from palabre.core.editorial.votes import read_judgement
from palabre.core.personas.limits import MAX_TOKENS
from palabre.kernel.clock import iso_utc
from palabre.kernel.text import text
from palabre.kernel.visible import one_line
from palabre.texts import say

R = TypeVar("R")
LINE_CHARS = 160

NickArgument = Annotated[str, typer.Argument(metavar="NICK", help="Name or id, in any case.")]


def edit(
    nick: NickArgument,
    *,
    name: Annotated[str | None, typer.Option(help="What it is called: 1 to 50 characters.")] = None,
    model: Annotated[str | None, typer.Option(help="The model that it wishes for.")] = None,
    summary: Annotated[
        str | None, typer.Option(help="What editors tell it; empty takes that away.")
    ] = None,
    voice: Annotated[str | None, typer.Option(help="Name of its voice.")] = None,
    max_tokens: Annotated[
        int | None, typer.Option(min=0, max=MAX_TOKENS, help="Longest answer; 0 for no limit.")
    ] = None,
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change a persona; its file stays as it is.

    A server that runs sees it within seconds. `revert` takes it back.

    **Examples**

    `palabre persona edit Batty --summary "Parle de la pluie."`

    `palabre persona edit Batty --name Roy --model mistral:7b --json`
    """
    if summary is not None and len(summary) > MAX_SUMMARY_CHARS:
        message = f"--summary has at most {MAX_SUMMARY_CHARS} characters."
        raise typer.BadParameter(message)
    traits = Traits(name=name, model=model, summary=summary, voice=voice, max_tokens=max_tokens)
    if not traits.are_given:
        message = "Give what is to change: --name, --model, --summary, --voice, --max-tokens."
        raise typer.BadParameter(message)
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    _change(
        nick,
        settings,
        as_json=as_json,
        work=lambda at, who: at.desk.update(THE_MACHINE, who, traits),
    )


def toggle(
    nick: NickArgument,
    *,
    enabled: Annotated[
        bool | None, typer.Option("--on/--off", help="Which way; else it is turned round.")
    ] = None,
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let a persona speak or not.

    **Examples**

    `palabre persona toggle Batty`

    `palabre persona toggle Batty --off`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    _change(
        nick,
        settings,
        as_json=as_json,
        work=lambda at, who: at.desk.toggle(THE_MACHINE, who, enabled=enabled),
    )


def revert(
    nick: NickArgument,
    *,
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take back the newest change of a persona that is left.

    **Examples**

    `palabre persona revert Batty`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    _change(nick, settings, as_json=as_json, work=lambda at, who: at.desk.revert(THE_MACHINE, who))


def proposals(
    nick: NickArgument,
    *,
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the proposals of how a persona could be, newest first.

    **Examples**

    `palabre persona proposals Batty`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings

    async def read(at: DeskAtHand) -> list[Proposal]:
        persona = called(nick, await at.desk.personas())
        return list(await at.stores.proposals.latest(persona.id, MAX_LISTED))

    found = _run(settings, read)
    if as_json:
        _echo([asdict(each) | {"created_at": iso_utc(each.created_at)} for each in found])
        return
    _print_lines(
        [
            f"{iso_utc(each.created_at)}  {each.reason}{' *' if each.applied else ''}  "
            f"{one_line(each.after.summary, LINE_CHARS)}"
            for each in found
        ],
        settings,
    )


def feedback(
    nick: NickArgument,
    *,
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print what was said of a persona, newest first.

    **Examples**

    `palabre persona feedback Batty`

    `palabre persona feedback Batty --json`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings

    async def read(at: DeskAtHand) -> list[Feedback]:
        persona = called(nick, await at.desk.personas())
        return list(await at.opinions.of(persona.id))

    found = _run(settings, read)
    if as_json:
        rows = [(each.id, each.kind, each.message, iso_utc(each.created_at)) for each in found]
        _echo([dict(zip(("id", "kind", "message", "createdAt"), row, strict=True)) for row in rows])
        return
    _print_lines([f"{iso_utc(each.created_at)}  {_line(each)}" for each in found], settings)


def export_dpo(
    *,
    persona: Annotated[str, typer.Option(metavar="NICK", help="Only of this one.")] = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A new file; else standard output.")
    ] = None,
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
) -> None:
    """Write pairs of answers, of which people like one better: one JSON object a line.

    A line has `prompt`, `chosen`, `rejected` and `persona_id`. An existing file is left alone.

    **Examples**

    `palabre persona export-dpo --output pairs.jsonl`

    `palabre persona export-dpo --persona Batty | head`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings

    async def write(at: DeskAtHand) -> None:
        personas = await at.desk.personas()
        wanted = called(persona, personas).id if persona else None
        with new_file(output) if output else nullcontext(sys.stdout.buffer) as file:
            await _write_pairs(at.opinions.pairs(wanted), file)

    _run(settings, write)


async def _write_pairs(pairs: AsyncIterator[Pair], file: BinaryIO) -> None:
    async for pair in pairs:
        file.write(json.dumps(asdict(pair), ensure_ascii=False).encode() + b"\n")


def _change(
    nick: str,
    settings: Settings,
    *,
    as_json: bool,
    work: Callable[[DeskAtHand, str], Awaitable[DeskPersona]],
) -> None:
    async def change(at: DeskAtHand) -> DeskPersona:
        return await work(at, called(nick, await at.desk.personas()).id)

    changed = _run(settings, change)
    told = {
        "id": changed.id,
        "name": changed.name,
        "model": changed.persona.model,
        "summary": changed.persona.summary,
        "enabled": changed.enabled,
    }
    if as_json:
        _echo(told)
        return
    state = text("cli.desk.on" if changed.enabled else "cli.desk.off")
    words = text(
        "cli.desk.changed",
        name=changed.name,
        model=changed.persona.model,
        state=state,
        summary=one_line(changed.persona.summary, LINE_CHARS),
    )
    plain_console().print(say(words, settings.language), soft_wrap=True)


def _run(settings: Settings, work: Callable[[DeskAtHand], Awaitable[R]]) -> R:
    async def with_desk() -> R:
        async with opened_desk(settings) as at:
            return await work(at)

    return asyncio.run(with_desk())


def _line(feedback: Feedback) -> str:
    judgement = read_judgement(feedback.message)
    if judgement is None:
        return f"{feedback.kind}  {one_line(feedback.message, LINE_CHARS)}"
    said = f"{judgement.verdict} {judgement.reaction}".strip()
    return f"{said}  {one_line(judgement.response, LINE_CHARS)}"


def _print_lines(lines: list[str], settings: Settings) -> None:
    for line in lines or [say(text("cli.desk.nothing"), settings.language)]:
        plain_console().print(line, soft_wrap=True)


def _echo(value: object) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))
