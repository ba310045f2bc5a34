"""`palabre knowledge`: the documents that personas draw on."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from palabre.adapters.knowledge.files import decoded, files_in, named
from palabre.app.cli.console import plain_console, shown_json
from palabre.app.cli.failure import FAILED, MISUSED
from palabre.app.cli.knowledge_exam import document_exam, print_exam, shipped_exam
from palabre.app.cli.knowledge_intake import Intake, exit_code, print_summary
from palabre.app.cli.knowledge_tables import (
    Data,
    document_data,
    document_page,
    document_table,
    match_data,
    print_matches,
)
from palabre.app.cli.options import ConfigOption, JsonOption
from palabre.app.clock import SystemClock, SystemIds
from palabre.app.knowledge import opened_knowledge
from palabre.app.logs import configure_logs
from palabre.app.models import opened_registry
from palabre.app.settings import Settings, load_settings
from palabre.core.knowledge.errors import AmbiguousDocumentError, UnknownDocumentError
from palabre.core.knowledge.model import Document, Match, Passage, SearchMode
from palabre.core.knowledge.service import KnowledgeService, Standing
from palabre.kernel.text import Text, text
from palabre.texts import say

app = typer.Typer(no_args_is_help=True)

STANDARD_INPUT = "-"
NameArgument = Annotated[str, typer.Argument(metavar="ID|TITLE", help="As `list` prints it.")]
R = TypeVar("R")


@app.command()
def add(
    source: Annotated[
        str, typer.Argument(metavar="FILE|DIR|-", help="A file, a folder, or - for what is piped.")
    ],
    *,
    title: Annotated[str, typer.Option(help="Title; else the first heading or the name.")] = "",
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Index a file, or all of a folder: text, Markdown, PDF, Office.

    What did not change is not indexed again. The server may be running; it notices.
    The exit code is 1 if a document was refused or waits for the embedder.

    **Examples**

    `palabre knowledge add notes.md`

    `palabre knowledge add ~/documents --json`

    `pandoc book.epub -t plain | palabre knowledge add - --title "The book"`
    """
    settings = _settings(config)
    if source != STANDARD_INPUT and not Path(source).exists():
        missing = f"{source}: no such file or folder"
        raise typer.BadParameter(missing)
    intake = Intake(settings, quiet=as_json)
    try:
        _run(settings, lambda service: _add(service, intake, source, title))
    except KeyboardInterrupt:
        _print(settings, text("cli.knowledge.interrupted"))
    if as_json:
        _print_json([each.as_data(settings.language) for each in intake.outcomes])
    else:
        print_summary(intake.outcomes, settings.language)
    raise typer.Exit(exit_code(intake.outcomes))


@app.command(name="list")
def list_(*, config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """Print every document, whether it is found by words and by meaning, and by whose vectors.

    **Examples**

    `palabre knowledge list`

    `palabre knowledge list --json`
    """
    settings = _settings(config)
    documents, standing = _run(settings, _listed)
    if as_json:
        _print_json([document_data(each) | _embedder_data(standing) for each in documents])
    elif documents:
        plain_console().print(document_table(documents, settings.language))
        _print_embedder(settings, standing)
    else:
        _print(settings, text("cli.knowledge.none"))


@app.command()
def show(name: NameArgument, *, config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """Print one document, and its text.

    **Examples**

    `palabre knowledge show Manifeste`

    `palabre knowledge show Manifeste --json`
    """
    settings = _settings(config)
    document, words = _run(settings, lambda service: _shown(service, name))
    if as_json:
        _print_json(document_data(document) | {"text": words})
        return
    _print(settings, document_page(document, settings.language))
    typer.echo(f"\n{words}")


@app.command()
def remove(name: NameArgument, *, config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """Remove a document; personas find it no more.

    **Examples**

    `palabre knowledge remove "Notes de mars"`

    `palabre knowledge remove doc_mcz3k1_0a1b2c3d --json`
    """
    settings = _settings(config)
    document = _run(settings, lambda service: _removed(service, name))
    if as_json:
        _print_json(document_data(document))
    else:
        _print(settings, text("cli.knowledge.removed", title=document.title))


@app.command()
def search(
    question: Annotated[str, typer.Argument(help="What somebody might ask.")],
    *,
    mode: Annotated[SearchMode, typer.Option(help="What is compared.")] = "hybrid",
    limit: Annotated[int, typer.Option(min=1, max=50, help="Passages to print.")] = 5,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the passages nearest to a question, however far they are.

    **Examples**

    `palabre knowledge search "Qui a inventé la musique concrète ?"`

    `palabre knowledge search "deep listening" --mode words --json`
    """
    settings = _settings(config)
    found, told = _run(settings, lambda service: _found(service, question, mode, limit))
    if as_json:
        _print_json([match_data(each, told) for each in found])
    elif found:
        print_matches(found, told, settings.language)
    else:
        _print(settings, text("cli.knowledge.nothing_found"))


async def _found(
    service: KnowledgeService, question: str, mode: SearchMode, limit: int
) -> tuple[Sequence[Match], Collection[Passage]]:
    """Return the nearest passages, and those that personas would be told."""
    return await service.search(question, mode, limit), await service.find(question)


@app.command()
def reindex(*, config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """Make the passages and vectors of every document anew, with the model that is wished for now.

    Without this, documents stay with the model that made their vectors.
    The exit code is 1 if documents wait for it.

    **Examples**

    `palabre knowledge reindex`

    `palabre knowledge reindex --json`
    """
    settings = _settings(config)
    intake = Intake(settings, quiet=as_json)
    try:
        standing, waiting, reason = _run(settings, lambda service: _reindexed(service, intake))
    except KeyboardInterrupt:
        _print(settings, text("cli.knowledge.interrupted"), stderr=as_json)
        raise typer.Exit(FAILED) from None
    count = standing.documents
    if as_json:
        _print_json({"documents": count, "waiting": waiting} | _embedder_data(standing))
        raise typer.Exit(FAILED if waiting else 0)
    _print(settings, text("cli.knowledge.reindexed", count=count - waiting))
    if waiting:
        _print(settings, text("cli.knowledge.still_waiting", count=waiting, reason=reason))
    _print_embedder(settings, standing)
    raise typer.Exit(FAILED if waiting else 0)


@app.command()
def exam(
    *,
    folder: Annotated[
        Path | None,
        typer.Option("--dir", file_okay=False, exists=True, help="An exam, not your documents."),
    ] = None,
    shipped: Annotated[bool, typer.Option("--shipped", help="The exam that comes along.")] = False,
    depth: Annotated[
        int, typer.Option("--k", min=1, max=50, help="Print the recall at this depth as well.")
    ] = 5,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask questions whose answer is known: recall and nDCG by words, by meaning, by both.

    **Examples**

    `palabre knowledge exam`

    `palabre knowledge exam --shipped`

    `palabre knowledge exam --dir my_exam --k 10 --json`
    """
    settings = _settings(config)
    own = folder or (settings.content_dir / "knowledge" / "exam" if shipped else None)
    intake = Intake(settings, quiet=as_json)
    report = (
        asyncio.run(shipped_exam(settings, own, depth, intake))
        if own
        else _run(settings, lambda service: document_exam(service, depth, intake))
    )
    if as_json:
        _print_json(report.as_data())
    else:
        print_exam(report, settings.language)


async def _add(service: KnowledgeService, intake: Intake, source: str, title: str) -> None:
    if source == STANDARD_INPUT:
        content = await asyncio.to_thread(sys.stdin.buffer.read)
        name = title or STANDARD_INPUT
        await intake.take_text(
            service, named(decoded(name, content), name, name, ask_text=not title)
        )
        return
    paths = await asyncio.to_thread(files_in, Path(source))
    await intake.take_files(service, paths, title)


async def _listed(service: KnowledgeService) -> tuple[list[Document], Standing]:
    return await service.documents(), await service.standing()


async def _shown(service: KnowledgeService, name: str) -> tuple[Document, str]:
    document = await service.named(name)
    return document, await service.text(document)


async def _removed(service: KnowledgeService, name: str) -> Document:
    document = await service.named(name)
    await service.remove(document)
    return document


async def _reindexed(service: KnowledgeService, intake: Intake) -> tuple[Standing, int, str]:
    with intake.progress() as on_progress:
        waiting = await service.reindex(on_progress)
    reason = await intake.reason(service) if waiting else ""
    return await service.standing(), waiting, reason


def _embedder_data(standing: Standing) -> Data:
    return {"embedder": standing.embedder, "embedderAnswers": standing.answers}


def _print_embedder(settings: Settings, standing: Standing) -> None:
    if standing.embedder:
        kind = "embedder" if standing.answers else "embedder_silent"
        _print(settings, text(f"cli.knowledge.{kind}", embedder=standing.embedder))


def _run(settings: Settings, work: Callable[[KnowledgeService], Coroutine[Any, Any, R]]) -> R:
    try:
        return asyncio.run(_with_service(settings, work))
    except (UnknownDocumentError, AmbiguousDocumentError) as error:
        _print(settings, error.text, stderr=True)
        raise typer.Exit(MISUSED) from error


async def _with_service(
    settings: Settings, work: Callable[[KnowledgeService], Coroutine[Any, Any, R]]
) -> R:
    async with _service(settings) as service:
        return await work(service)


@asynccontextmanager
async def _service(settings: Settings) -> AsyncIterator[KnowledgeService]:
    async with (
        opened_registry(settings) as registry,
        opened_knowledge(settings, registry, SystemClock(), SystemIds()) as service,
    ):
        yield service


def _settings(config: Path | None) -> Settings:
    settings = load_settings(config=config).settings
    # The log would say a second time, in English, what is printed.
    configure_logs("error", settings.logs.format)
    return settings


def _print(settings: Settings, what: Text, *, stderr: bool = False) -> None:
    plain_console(stderr=stderr).print(say(what, settings.language), soft_wrap=True)


def _print_json(data: object) -> None:
    typer.echo(shown_json(data))
