"""`palabre model`: which models, voices and ears there are, and whether they work."""

import asyncio
import json
from contextlib import aclosing
from typing import Annotated

import typer
from rich.table import Table

from palabre.adapters.models.embedded import EmbeddedProvider
from palabre.app.cli.console import plain_console, shown_json
from palabre.app.cli.options import ConfigOption, JsonOption
from palabre.app.cli.progress import show_pull
from palabre.app.cli.speech import test_stt, test_tts
from palabre.app.clock import SystemClock
from palabre.app.logs import configure_logs
from palabre.app.model_trial import Trial, try_model
from palabre.app.models import opened_registry, weight_store
from palabre.app.models_inventory import Inventory, KnownWeights, take_inventory
from palabre.app.settings import Settings, load_settings
from palabre.core.models.errors import UnknownWeightsError
from palabre.core.models.model import EMBEDDED
from palabre.kernel.readable import readable_size
from palabre.kernel.text import Text, text
from palabre.texts import Language, say

app = typer.Typer(no_args_is_help=True)


@app.command(name="list")
def list_(*, config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """Print the models that can answer now, and those that can be fetched.

    **Examples**

    `palabre model list`

    `palabre model list --json`
    """
    settings = load_settings(config=config).settings
    found = asyncio.run(take_inventory(settings))
    if as_json:
        typer.echo(shown_json(found.as_data()))
        return
    _print_inventory(found, settings.language)


@app.command()
def pull(
    name: Annotated[
        str,
        typer.Argument(help="`speech`, a tier, a model of `list`, ollama/<name>; `auto` chooses."),
    ] = "auto",
    *,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Fetch a model; what is here already is not fetched again.

    **Examples**

    `palabre model pull`

    `palabre model pull tiny`

    `palabre model pull speech` (ears and a French voice)

    `palabre model pull ollama/qwen3:8b`
    """
    settings = load_settings(config=config).settings
    configure_logs("error" if as_json else settings.logs.level, settings.logs.format)
    try:
        name = asyncio.run(_pull(settings, name, quiet=as_json))
    except UnknownWeightsError as error:
        raise typer.BadParameter(say(error.text, settings.language)) from error
    if as_json:
        typer.echo(json.dumps({"name": name, "status": "success"}))
    else:
        plain_console().print(say(text("cli.model.pulled", name=name), settings.language))


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
    # The log would say a second time, in English, which model stands in.
    configure_logs("error", settings.logs.format)
    trial = asyncio.run(_try(settings, name or settings.models.default_model, quiet=as_json))
    if as_json:
        typer.echo(shown_json(trial.as_data()))
    else:
        typer.echo()
        plain_console().print(say(_verdict(trial), settings.language), style="dim")
    if not trial.answer:
        raise typer.Exit(1)


app.command(name="test-stt")(test_stt)
app.command(name="test-tts")(test_tts)


async def _pull(settings: Settings, name: str, *, quiet: bool) -> str:
    """Fetch *name*; return the name of the model that is here now."""
    store = weight_store(settings)
    if any(each.kind != "chat" for part in store.members(name) for each in store.find(part)):
        async with aclosing(store.fetch(name)) as progress:
            await show_pull(progress, quiet=quiet)
        return name
    async with opened_registry(settings) as registry:
        head, slash, rest = name.partition("/")
        known = slash and head in registry.providers
        wanted = (head, rest) if known else (EMBEDDED, name)
        async with aclosing(registry.pull(*wanted)) as progress:
            await show_pull(progress, quiet=quiet)
        provider = registry.providers[wanted[0]]
        return provider.fetched(wanted[1]) if isinstance(provider, EmbeddedProvider) else name


async def _try(settings: Settings, name: str, *, quiet: bool) -> Trial:
    question = say(text("cli.model.question"), settings.language)
    async with opened_registry(settings) as registry:
        resolved = await registry.resolve(name)
        if resolved.substituted and not quiet:
            line = text("cli.model.stand_in", asked=name, model=resolved.info.ref)
            plain_console().print(say(line, settings.language), style="yellow")
        echo = _silent if quiet else _echo
        return await try_model(registry, resolved, question, SystemClock(), echo)


def _verdict(trial: Trial) -> Text:
    model = trial.resolved.info.ref
    if not trial.answer:
        return text("cli.model.silent", model=model)
    figures = {"first_s": trial.first_s, "tokens_per_s": trial.tokens_per_s}
    return text("cli.model.figures", model=model, **figures)


def _echo(piece: str) -> None:
    typer.echo(piece, nl=False)


def _silent(piece: str) -> None:
    """Say nothing: the answer comes as JSON."""


def _print_inventory(found: Inventory, language: Language) -> None:
    console = plain_console()
    for name, health in found.healths.items():
        if not health.ok:
            line = text("cli.model.down", provider=name, detail=health.detail)
            console.print(say(line, language), style="dim", soft_wrap=True)
    if not found.models:
        console.print(say(text("cli.model.none"), language), soft_wrap=True)
    console.print(_table(found, language))
    if not all(any(each.installed for each in found.of_kind(kind)) for kind in ("ears", "voice")):
        console.print(say(text("cli.model.no_speech"), language), soft_wrap=True)
    if any(each.installed and not each.weights.sha256 for each in found.weights):
        console.print(say(text("cli.model.unverified"), language), style="yellow")


def _table(found: Inventory, language: Language) -> Table:
    table = Table(box=None, header_style="bold")
    for column in ("model", "size", "state", "tiers", "licence"):
        table.add_column(say(text(f"cli.model.column.{column}"), language), overflow="fold")
    known = {f"{EMBEDDED}/{each.weights.name}": each for each in found.weights}
    for info in found.models:
        own = known.pop(info.ref, None)
        state = say(text(f"cli.model.state.{'loaded' if info.loaded else 'installed'}"), language)
        size = readable_size(info.size_bytes)
        table.add_row(info.ref, size, state, *(_origin(own, language) if own else ()))
    for ref, own in known.items():
        table.add_row(*_fetchable(ref, own, language), style=None if own.installed else "dim")
    return table


def _fetchable(ref: str, known: KnownWeights, language: Language) -> tuple[str, ...]:
    """Return the row of weights that no provider lists: absent ones, ears and voices."""
    weights = known.weights
    state = text(f"cli.model.state.{'installed' if known.installed else 'available'}")
    name = ref if weights.kind == "chat" else weights.name
    size = readable_size(weights.total_bytes or None)
    return (name, size, say(state, language), *_origin(known, language))


def _origin(known: KnownWeights, language: Language) -> tuple[str, str]:
    weights = known.weights
    purpose = say(text(f"cli.model.kind.{weights.kind}"), language)
    return ", ".join(known.tiers) or purpose, weights.licence
