"""`palabre sim`: simulated peers for demonstrations, tests and load."""

from pathlib import Path
from typing import Annotated

import typer
import uvicorn

from palabre.app.cli.failure import MISUSED, tell
from palabre.app.listening import listen
from palabre.sim.ollama import Script, ScriptError, create_app, parse_script
from palabre.sim.ollama.script import Answer, Fault, Split

app = typer.Typer(no_args_is_help=True)


@app.callback()
def root() -> None:
    """Have each peer called by its name, though there is only one."""


@app.command()
def ollama(  # noqa: PLR0917 - each argument is an option of the command
    port: Annotated[int, typer.Option(help="Port; 0 takes any free one.")] = 11434,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    script: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="What it has and says (TOML).")
    ] = None,
    tokens_per_s: Annotated[float | None, typer.Option(min=0.001, help="Pace.")] = None,
    delay_s: Annotated[float | None, typer.Option(min=0, help="Wait before an answer.")] = None,
    split: Annotated[Split | None, typer.Option(help="How lines are cut into writes.")] = None,
    fail: Annotated[Fault | None, typer.Option(help="Let every answer fail like this.")] = None,
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
        "answer": None if fail is None else (Answer(error=fail, after_tokens=3),),
    }
    given = {name: value for name, value in changes.items() if value is not None}
    played = _read(script).model_copy(update=given)
    config = uvicorn.Config(create_app(played), log_level="critical", ws="none")
    with listen(host, port) as socket:
        typer.echo(f"http://{host}:{socket.getsockname()[1]}")
        uvicorn.Server(config).run([socket])


def _read(path: Path | None) -> Script:
    if path is None:
        return Script()
    try:
        return parse_script(path.read_text(encoding="utf-8"))
    except ScriptError as error:
        tell(error)
        raise typer.Exit(MISUSED) from error
