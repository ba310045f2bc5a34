"""`palabre persona import` and `export`: character cards."""

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, get_args

import typer

from palabre.adapters.personas.card_shelf import ImportedCard
from palabre.app.audit import opened_ledger
from palabre.app.cli.console import plain_console, shown_json
from palabre.app.cli.failure import FAILED
from palabre.app.cli.options import ConfigOption, DataDirOption, JsonOption
from palabre.app.cli.persona_cast import find, load_cast, load_whole_cast
from palabre.app.clock import SystemClock
from palabre.app.personas import card_shelf_for
from palabre.app.settings import Settings, load_settings
from palabre.core.audit.model import THE_MACHINE
from palabre.core.personas.errors import PersonaFilesError
from palabre.core.personas.lint import advise_newcomer
from palabre.core.personas.model import Cast, Persona
from palabre.kernel.errors import StorageError
from palabre.kernel.text import Text, text, verbatim
from palabre.texts import Language, say
from palabre.wire.cards.card_file import CardFormat
from palabre.wire.cards.errors import MAX_FILE_BYTES, CardError

_ABOUT_THE_ID = {"bad_id", "id_taken"}
_STANDARD_OUTPUT = Path("-")


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of one file; *refusal* says why there is no *card*."""

    file: Path
    card: ImportedCard | None = None
    advice: tuple[Text, ...] = ()
    refusal: Text | None = None


def import_(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", exists=True, dir_okay=False, help="JSON, PNG or CHARX."),
    ],
    *,
    wished_id: Annotated[
        str, typer.Option("--as", metavar="ID", help="Id of the persona, for one FILE.")
    ] = "",
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make personas of character cards (V1, V2, V3), without overwriting any.

    The whole card is kept beside the persona's file. A FILE that holds no card ends with exit
    code 1; the others are imported.

    **Examples**

    `palabre persona import alice.png`

    `palabre persona import *.json --json`

    `palabre persona import alice.charx --as alice-in-wonderland`
    """
    if wished_id and len(files) > 1:
        message = "--as names one persona: give one FILE."
        raise typer.BadParameter(message)
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    outcomes = []
    for file in files:
        outcomes.append(_take(file, wished_id, settings))
        if not as_json:
            _print_outcome(outcomes[-1], settings.language)
    if as_json:
        typer.echo(_as_json(outcomes, settings.language))
    if any(each.refusal for each in outcomes):
        raise typer.Exit(FAILED)


def export(
    persona_id: Annotated[str, typer.Argument(metavar="ID", help="Id or name, in any case.")],
    *,
    form: Annotated[
        CardFormat | None,
        typer.Option("--format", help="What to write; by default what FILE ends with, or json."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="A new file; `-` is the standard output."),
    ] = None,
    data_dir: DataDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a persona as a character card V3, which other programs read.

    A picture also holds V2 for older programs; without a picture of its own, a persona gets its
    colour. What an imported card said that Palabre does not know is written back as it was.

    **Examples**

    `palabre persona export batty`

    `palabre persona export batty --format png`

    `palabre persona export batty --out batty.charx`
    """
    settings = load_settings(cli={"data_dir": data_dir}, config=config).settings
    persona = find(persona_id, load_cast(settings))
    form = form or _form_of(out)
    now_s = int(SystemClock().now().timestamp())
    content = card_shelf_for(settings).give(persona, form, now_s)
    if out == _STANDARD_OUTPUT:
        sys.stdout.buffer.write(content)
        return
    path = out or Path(f"{persona.id}.{form}")
    _write_new(path, content)
    if as_json:
        report = {"id": persona.id, "format": form, "path": str(path), "sizeBytes": len(content)}
        typer.echo(shown_json(report))
        return
    done = text("cli.card.exported", nick=persona.nick, path=str(path))
    plain_console().print(say(done, settings.language), soft_wrap=True)


def _take(file: Path, wished_id: str, settings: Settings) -> _Outcome:
    cast = load_whole_cast(settings)
    try:
        card = _kept(_content(file), cast, wished_id, settings)
    except OSError as error:
        return _Outcome(file, refusal=verbatim(error.strerror or str(error)))
    except CardError as error:
        if error.problem in _ABOUT_THE_ID:
            raise
        return _Outcome(file, refusal=error.text)
    except (PersonaFilesError, StorageError) as error:
        return _Outcome(file, refusal=error.text)
    advice = tuple(each.text for each in advise_newcomer(card.persona, cast))
    return _Outcome(file, card, advice)


def _kept(content: bytes, cast: Cast, wished_id: str, settings: Settings) -> ImportedCard:
    """Keep the card *content* and write that down, or do neither."""
    shelf = card_shelf_for(settings)
    card = shelf.take(content, cast, wished_id=wished_id)
    try:
        asyncio.run(_record(card.persona, len(content), settings))
    except BaseException:
        shelf.drop(card.persona.id)
        raise
    return card


async def _record(persona: Persona, size_bytes: int, settings: Settings) -> None:
    async with (
        opened_ledger(settings, SystemClock()) as ledger,
        ledger.recording(THE_MACHINE, "persona.import", persona.id) as change,
    ):
        change.after = {"name": persona.nick, "bytes": size_bytes}


def _content(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(MAX_FILE_BYTES + 1)


def _print_outcome(outcome: _Outcome, language: Language) -> None:
    file = str(outcome.file)
    if outcome.card is None:
        refused = text("cli.card.refused", file=file, reason=outcome.refusal or verbatim(""))
        plain_console(stderr=True).print(say(refused, language), style="red", soft_wrap=True)
        return
    persona = outcome.card.persona
    lines = [
        text("cli.card.imported", file=file, nick=persona.nick, path=str(outcome.card.path)),
        *(
            text("persona.remark", nick=persona.nick, advice=each)
            for each in (*outcome.card.remarks, *outcome.advice)
        ),
        text("cli.card.use", nick=persona.nick),
    ]
    for line in lines:
        plain_console().print(say(line, language), soft_wrap=True)


def _as_json(outcomes: list[_Outcome], language: Language) -> str:
    imported = [
        {
            "file": str(each.file),
            "id": each.card.persona.id,
            "nick": each.card.persona.nick,
            "path": str(each.card.path),
            "kept": [str(path) for path in each.card.kept],
            "remarks": _said(each.card.remarks, language),
            "advice": _said(each.advice, language),
        }
        for each in outcomes
        if each.card
    ]
    refused = [
        {"file": str(each.file), "reason": say(each.refusal, language)}
        for each in outcomes
        if each.refusal
    ]
    report = {"imported": imported, "refused": refused}
    return shown_json(report)


def _said(texts: tuple[Text, ...], language: Language) -> list[dict[str, str]]:
    return [{"code": each.code, "text": say(each, language)} for each in texts]


def _form_of(out: Path | None) -> CardFormat:
    ending = out.suffix.lower().removeprefix(".") if out else ""
    return next((form for form in get_args(CardFormat) if form == ending), "json")


def _write_new(path: Path, content: bytes) -> None:
    try:
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError as error:
        raise CardError("file_exists", file=str(path)) from error
    except OSError as error:
        raise StorageError(detail=f"{path}: {error.strerror or error}") from error
