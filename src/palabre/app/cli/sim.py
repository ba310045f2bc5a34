"""`palabre sim`: simulated peers for demonstrations, tests and load."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import typer
import uvicorn
from starlette.types import ASGIApp

from palabre.app.cli.failure import MISUSED, tell
from palabre.app.listening import listen, web_address
from palabre.sim import ollama as ollama_sim
from palabre.sim.comfyui import script as comfyui_script
from palabre.sim.comfyui import server as comfyui_server
from palabre.sim.ollama import script as ollama_script
from palabre.sim.script import ScriptError, Table
from palabre.sim.searxng import script as searxng_script
from palabre.sim.searxng import server as searxng_server
from palabre.sim.speech import script as speech_script
from palabre.sim.speech import server as speech_server

app = typer.Typer(no_args_is_help=True, rich_markup_mode="markdown")
T = TypeVar("T", bound=Table)

PortOption = Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes any free one.")]
HostOption = Annotated[str, typer.Option(help="Address to listen on.")]
ScriptOption = Annotated[
    Path | None, typer.Option(exists=True, dir_okay=False, help="What it has and says (TOML).")
]
DelayOption = Annotated[float | None, typer.Option(min=0, help="Wait before an answer.")]
LOOPBACK = "127.0.0.1"


@app.command()
def ollama(  # noqa: PLR0917 - each argument is an option of the command
    port: PortOption = 11434,
    host: HostOption = LOOPBACK,
    script: ScriptOption = None,
    tokens_per_s: Annotated[float | None, typer.Option(min=0.001, help="Pace.")] = None,
    delay_s: DelayOption = None,
    split: Annotated[
        ollama_script.Split | None, typer.Option(help="How lines are cut into writes.")
    ] = None,
    fail: Annotated[
        ollama_script.Fault | None, typer.Option(help="Let every answer fail like this.")
    ] = None,
) -> None:
    """Run a scripted Ollama; without a script it improvises in French.

    **Examples**

    `palabre sim ollama`

    `palabre sim ollama --port 11500 --tokens-per-s 5 --fail cut`

    What it was asked: GET /sim/requests. The script: docs/simulators.md.
    """
    changes = {
        "tokens_per_s": tokens_per_s,
        "first_token_delay_s": delay_s,
        "split": split,
        "answer": _failing(fail, lambda error: ollama_script.Answer(error=error, after_tokens=3)),
    }
    played = _read(script, ollama_script.parse_script, changes)
    _serve(ollama_sim.create_app(played), host, port)


@app.command()
def comfyui(
    port: PortOption = 8188,
    host: HostOption = LOOPBACK,
    script: ScriptOption = None,
    step_s: Annotated[float | None, typer.Option(min=0, help="Time for one step.")] = None,
    fail: Annotated[
        comfyui_script.Fault | None, typer.Option(help="Let every prompt fail like this.")
    ] = None,
) -> None:
    """Run a scripted ComfyUI; it draws pictures from the seed and the prompt.

    **Examples**

    `palabre sim comfyui`

    `palabre sim comfyui --port 8189 --step-s 2 --fail execution`

    What it was asked: GET /sim/requests. The script: docs/simulators.md.
    """
    failing = _failing(fail, lambda error: comfyui_script.Answer(error=error))
    changes = {"step_s": step_s, "answer": failing}
    played = _read(script, comfyui_script.parse_script, changes)
    _serve(comfyui_server.create_app(played), host, port, ws="websockets-sansio")


@app.command()
def searxng(
    port: PortOption = 8080,
    host: HostOption = LOOPBACK,
    script: ScriptOption = None,
    no_json: Annotated[  # noqa: FBT002 - an option of the command line
        bool, typer.Option("--no-json", help="Forbid JSON, as a fresh SearXNG does.")
    ] = False,
    delay_s: DelayOption = None,
    fail: Annotated[
        searxng_script.Fault | None, typer.Option(help="Let every search fail like this.")
    ] = None,
) -> None:
    """Run a scripted SearXNG, with a plain JSON search and DuckDuckGo Lite's page beside it.

    **Examples**

    `palabre sim searxng`

    `palabre sim searxng --port 8081 --no-json`

    What it was asked: GET /sim/requests. The script: docs/simulators.md.
    """
    failing = _failing(fail, lambda error: searxng_script.Answer(error=error))
    forbidden = False if no_json else None
    changes = {"json_allowed": forbidden, "delay_s": delay_s, "answer": failing}
    played = _read(script, searxng_script.parse_script, changes)
    _serve(searxng_server.create_app(played), host, port)


@app.command()
def speech(
    port: PortOption = 9100,
    host: HostOption = LOOPBACK,
    script: ScriptOption = None,
    delay_s: DelayOption = None,
    fail: Annotated[
        speech_script.Fault | None, typer.Option(help="Let every call fail like this.")
    ] = None,
) -> None:
    """Run a scripted speech server; it hums what it reads, and recognises what it hummed.

    **Examples**

    `palabre sim speech`

    `palabre sim speech --port 9101 --delay-s 2 --fail lying`

    What it was asked: GET /sim/requests. The script: docs/simulators.md.
    """
    failing = _failing(fail, lambda error: speech_script.Answer(error=error))
    changes = {"delay_s": delay_s, "answer": failing}
    played = _read(script, speech_script.parse_script, changes)
    _serve(speech_server.create_app(played), host, port)


F = TypeVar("F")
A = TypeVar("A")


def _failing(fail: F | None, rule: Callable[[F], A]) -> tuple[A] | None:
    """Return the one rule that lets everything fail; None leaves those of the script."""
    return None if fail is None else (rule(fail),)


def _read(path: Path | None, parse: Callable[[str], T], changes: Mapping[str, object]) -> T:
    """Return the script at *path*, or one without a word, with those *changes* that are given."""
    try:
        played = parse("" if path is None else path.read_text(encoding="utf-8"))
    except ScriptError as error:
        tell(error)
        raise typer.Exit(MISUSED) from error
    given = {name: value for name, value in changes.items() if value is not None}
    return played.model_copy(update=given)


def _serve(
    server: ASGIApp, host: str, port: int, ws: Literal["none", "websockets-sansio"] = "none"
) -> None:
    config = uvicorn.Config(server, log_level="critical", ws=ws)
    with listen(host, port) as socket:
        typer.echo(web_address(host, socket.getsockname()[1]))
        uvicorn.Server(config).run([socket])
