"""`palabre model`: which language models there are, and whether they work."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn
from rich.table import Table

from palabre.adapters.models.weights_catalogue import Weights
from palabre.app.cli.options import ConfigOption, JsonOption
from palabre.app.clock import SystemClock
from palabre.app.models import build_registry, weight_store
from palabre.app.settings import Settings, load_settings
from palabre.core.models.errors import UnknownWeightsError
from palabre.core.models.model import (
    AnswerEnded,
    AnswerGrew,
    ChatMessage,
    ChatRequest,
    ModelInfo,
    ProviderHealth,
    PullProgress,
)
from palabre.core.models.registry import ModelRegistry
from palabre.kernel.text import Text, text
from palabre.texts import Language, say

app = typer.Typer(name="model", no_args_is_help=True, help="List, fetch and try language models.")

TEST_TOKENS = 80
EMBEDDED = "embedded"


@app.callback()
def root() -> None:
    """List, fetch and try language models."""


@app.command(name="list")
def list_(*, config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """Print the models that can answer now, and those that can be fetched.

    **Examples**

    `palabre model list`

    `palabre model list --json`
    """
    settings = load_settings(config=config).settings
    found = asyncio.run(_inventory(settings))
    if as_json:
        typer.echo(json.dumps(found.as_data(), ensure_ascii=False, indent=2))
        return
    _print_inventory(found, settings.language)


@app.command()
def pull(
    name: Annotated[
        str, typer.Argument(help="Tier, model of `list`, or ollama/<name>; `auto` chooses.")
    ] = "auto",
    *,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Fetch a model; what is here already is not fetched again.

    **Examples**

    `palabre model pull`

    `palabre model pull tiny`

    `palabre model pull ollama/qwen3:8b`
    """
    settings = load_settings(config=config).settings
    try:
        asyncio.run(_pull(settings, name, quiet=as_json))
    except UnknownWeightsError as error:
        raise typer.BadParameter(say(error.text, settings.language)) from error
    if as_json:
        typer.echo(json.dumps({"name": name, "status": "success"}))
    else:
        _console().print(say(text("cli.model.pulled", name=name), settings.language))


@app.command()
def test(
    name: Annotated[str | None, typer.Argument(help="Model; without it, the default one.")] = None,
    *,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask a model a short question in French and measure its answer.

    **Examples**

    `palabre model test`

    `palabre model test embedded/qwen2.5-coder-0.5b`

    `palabre model test ollama/qwen3:8b --json`
    """
    settings = load_settings(config=config).settings
    trial = asyncio.run(_try(settings, name or settings.models.default_model, quiet=as_json))
    if as_json:
        typer.echo(json.dumps(trial.as_data(), ensure_ascii=False, indent=2))
    else:
        _console().print(say(trial.verdict(), settings.language), style="dim")
    if not trial.answer:
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class Inventory:
    """Providers, their models, and the weights that we know: with tiers, and whether here."""

    healths: dict[str, ProviderHealth]
    models: list[ModelInfo]
    weights: list[tuple[Weights, tuple[str, ...], bool]]

    def as_data(self) -> dict[str, object]:
        """Return it for programs."""
        return {
            "providers": {
                name: {"ok": health.ok, "detail": health.detail}
                for name, health in self.healths.items()
            },
            "models": [_model_data(info) for info in self.models],
            "weights": [_weights_data(*each) for each in self.weights],
        }


@dataclass(slots=True)
class Trial:
    """A question and how it was answered; seconds count from the question."""

    asked: str
    model: str = ""
    substituted: bool = False
    answer: str = ""
    first_s: float = 0.0
    total_s: float = 0.0
    tokens: int = 0

    @property
    def tokens_per_s(self) -> float:
        """Speed of the answer after its first token."""
        return max(self.tokens - 1, 0) / max(self.total_s - self.first_s, 0.001)

    def as_data(self) -> dict[str, object]:
        """Return it for programs."""
        return {
            "asked": self.asked,
            "model": self.model,
            "substituted": self.substituted,
            "answer": self.answer,
            "first_token_s": round(self.first_s, 3),
            "total_s": round(self.total_s, 3),
            "tokens": self.tokens,
            "tokens_per_s": round(self.tokens_per_s, 2),
        }

    def verdict(self) -> Text:
        """Return the line that sums it up."""
        if not self.answer:
            return text("cli.model.silent", model=self.model)
        return text(
            "cli.model.figures",
            model=self.model,
            first_s=self.first_s,
            tokens_per_s=self.tokens_per_s,
        )


class _NoTelemetry:
    """A command line that ends counts nothing."""

    def count(self, name: str, *, label: str = "") -> None: ...

    def observe(self, name: str, value: float) -> None: ...

    def set(self, name: str, value: float) -> None: ...


@asynccontextmanager
async def _registry(settings: Settings) -> AsyncIterator[ModelRegistry]:
    registry = build_registry(settings, SystemClock(), _NoTelemetry())
    try:
        yield registry
    finally:
        await registry.aclose()


async def _inventory(settings: Settings) -> Inventory:
    store = weight_store(settings)
    weights = [(each, store.tiers(each), store.has(each)) for each in store.known()]
    async with _registry(settings) as registry:
        healths, models = await asyncio.gather(registry.health(), registry.models())
    return Inventory(healths, models, weights)


async def _pull(settings: Settings, name: str, *, quiet: bool) -> None:
    async with _registry(settings) as registry:
        head, slash, rest = name.partition("/")
        known = slash and head in registry.providers
        provider = registry.providers[head if known else EMBEDDED]
        with _progress_bar(quiet=quiet) as bar:
            async with aclosing(provider.pull(rest if known else name)) as progress:
                await _show(progress, bar)


async def _show(progress: AsyncGenerator[PullProgress], bar: Progress) -> None:
    task = bar.add_task("", total=None)
    async for each in progress:
        if each.total_bytes:
            bar.update(task, total=each.total_bytes, completed=each.done_bytes or 0)
        bar.update(task, description=each.status)


async def _try(settings: Settings, name: str, *, quiet: bool) -> Trial:
    clock, trial = SystemClock(), Trial(name)
    question = say(text("cli.model.question"), settings.language)
    async with _registry(settings) as registry:
        resolved = await registry.resolve(name)
        trial.model, trial.substituted = resolved.info.ref, resolved.substituted
        if resolved.substituted and not quiet:
            line = text("cli.model.stand_in", asked=name, model=trial.model)
            _console().print(say(line, settings.language), style="yellow")
        request = ChatRequest("", (ChatMessage("user", question),), max_tokens=TEST_TOKENS)
        began_s = clock.monotonic()
        async with aclosing(registry.stream(resolved, request)) as answer:
            async for event in answer:
                match event:
                    case AnswerGrew(piece):
                        trial.first_s = trial.first_s or clock.monotonic() - began_s
                        trial.answer += piece
                        trial.tokens += 1
                        _echo_piece(piece, quiet=quiet)
                    case AnswerEnded(answer_tokens=int(tokens)):
                        trial.tokens = tokens
        trial.total_s = clock.monotonic() - began_s
    _echo_piece("\n", quiet=quiet)
    return trial


def _echo_piece(piece: str, *, quiet: bool) -> None:
    if not quiet:
        typer.echo(piece, nl=False)


def _print_inventory(found: Inventory, language: Language) -> None:
    console = _console()
    for name, health in found.healths.items():
        if not health.ok:
            line = text("cli.model.down", provider=name, detail=health.detail)
            console.print(say(line, language), style="dim", soft_wrap=True)
    if not found.models:
        console.print(say(text("cli.model.none"), language), soft_wrap=True)
    console.print(_table(found, language))
    if any(here and not weights.sha256 for weights, _, here in found.weights):
        console.print(say(text("cli.model.unverified"), language), style="yellow")


def _table(found: Inventory, language: Language) -> Table:
    table = Table(box=None, header_style="bold")
    for column in ("model", "size", "state", "tiers", "licence"):
        table.add_column(say(text(f"cli.model.column.{column}"), language), overflow="fold")
    known = {f"{EMBEDDED}/{each.name}": (each, tiers) for each, tiers, _ in found.weights}
    for info in found.models:
        weights, tiers = known.pop(info.ref, (None, ()))
        state = say(text(f"cli.model.state.{'loaded' if info.loaded else 'installed'}"), language)
        licence = weights.licence if weights else ""
        table.add_row(info.ref, _size(info.size_bytes), state, ", ".join(tiers), licence)
    available = say(text("cli.model.state.available"), language)
    for ref, (weights, tiers) in known.items():
        row = (ref, _size(weights.size_bytes), available, ", ".join(tiers), weights.licence)
        table.add_row(*row, style="dim")
    return table


def _size(size_bytes: int | None) -> str:
    return f"{size_bytes / 1000**3:.1f}GB" if size_bytes else "-"


def _model_data(info: ModelInfo) -> dict[str, object]:
    return {
        "ref": info.ref,
        "size_bytes": info.size_bytes,
        "loaded": info.loaded,
        "capabilities": sorted(info.capabilities),
        "context_tokens": info.context_tokens,
        "parameters": info.parameters,
    }


def _weights_data(weights: Weights, tiers: tuple[str, ...], here: bool) -> dict[str, object]:  # noqa: FBT001 - a row
    return {
        "name": weights.name,
        "tiers": list(tiers),
        "file": weights.file,
        "size_bytes": weights.size_bytes or None,
        "sha256": weights.sha256 or None,
        "licence": weights.licence or None,
        "installed": here,
    }


def _progress_bar(*, quiet: bool) -> Progress:
    return Progress(
        "{task.description}",
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        disable=quiet,
    )


def _console() -> Console:
    return Console(highlight=False, markup=False)
