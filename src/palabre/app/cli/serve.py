"""`palabre serve`: the rooms, for browsers, terminals and any WebSocket client."""

import asyncio
import logging
import webbrowser
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
import uvloop

from palabre.app.cli.options import ConfigOption
from palabre.app.garbage import nothing_collected
from palabre.app.listening import listen, web_address
from palabre.app.logs import configure_logs
from palabre.app.settings import Settings, load_settings
from palabre.kernel.errors import UpstreamError
from palabre.kernel.text import Text, text
from palabre.texts import say

if TYPE_CHECKING:
    from palabre.app.bootstrap import App

app = typer.Typer()

_log = logging.getLogger("palabre")


@app.command()
def serve(
    *,
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port; 0 takes any free one.")] = None,
    insecure: Annotated[
        bool | None, typer.Option("--insecure", help="Allow an address that others reach.")
    ] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Where what is said is kept.")] = None,
    provider: Annotated[
        str | None, typer.Option(help="auto, ollama, embedded, or a name of yours.")
    ] = None,
    open_browser: Annotated[
        bool | None, typer.Option("--open", help="Open the page when the server is up.")
    ] = None,
    config: ConfigOption = None,
) -> None:
    """Serve the rooms until Ctrl+C.

    **Examples**

    `palabre serve`

    `palabre serve --port 8080 --provider embedded`

    `palabre serve --host 0.0.0.0 --insecure`
    """
    cli = {
        "server.host": host,
        "server.port": port,
        "server.insecure": insecure,
        "server.open_browser": open_browser,
        "data_dir": data_dir,
        "models.provider": provider,
    }
    loaded = load_settings(cli=cli, config=config)
    loaded.check_start()
    configure_logs(loaded.settings.logs.level, loaded.settings.logs.format)
    for name in loaded.unused:
        _log.warning("%s is known, but not used by this version yet", name)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(loaded.settings))


async def _serve(settings: Settings) -> None:
    with nothing_collected():
        from palabre.app.bootstrap import running  # noqa: PLC0415 - heavy
        from palabre.app.http import create_server  # noqa: PLC0415

    with listen(settings.server.host, settings.server.port) as socket:
        async with running(settings) as palabre, asyncio.TaskGroup() as tasks:
            server = create_server(palabre)
            serving = tasks.create_task(server.serve([socket]))
            await server.listening.wait()
            url = web_address(settings.server.host, socket.getsockname()[1])
            _tell(settings, text("cli.serve.listening", url=url), style="bold green")
            for news in worth_knowing(settings):
                _tell(settings, news)
            if settings.server.open_browser:
                webbrowser.open(url)
            readying = tasks.create_task(ready_a_model(palabre))
            await serving
            readying.cancel()
    _tell(settings, text("cli.serve.goodbye"), style="bold green")


def worth_knowing(settings: Settings) -> list[Text]:
    """Return what *settings* leave open or off, which nobody would see in the page."""
    from palabre.app.accounts import lets_guests_in  # noqa: PLC0415 - heavy

    news = []
    if settings.auth.rooms == "session" and lets_guests_in(settings):
        news.append(text("cli.serve.guests"))
    if not settings.speech.enabled:
        news.append(text("cli.serve.mute"))
    return news


async def ready_a_model(palabre: "App") -> None:
    """Have a model ready, fetched if no other answers; without one, the page still says so."""
    from palabre.app.cli.progress import show_pull  # noqa: PLC0415 - rich is slow to import
    from palabre.app.models import first_weights, warm_up  # noqa: PLC0415

    try:
        async with aclosing(first_weights(palabre.ports.models)) as progress:
            await show_pull(progress)
        await warm_up(palabre.ports.models)
    except UpstreamError as error:
        _log.error("no model is ready: %s", say(error.text, palabre.settings.language))
    except Exception:  # noqa: BLE001 - outermost loop: the page stays up without a model
        _log.exception("no model is ready", extra={"reference": palabre.ports.ids.new("error")})


def _tell(settings: Settings, news: Text, *, style: str = "") -> None:
    """Tell people so that they see it among the log's lines, and programs in the log."""
    from palabre.app.cli.console import plain_console  # noqa: PLC0415 - rich is slow to import

    words = say(news, settings.language)
    if settings.logs.format == "json":
        _log.info("%s", words)
    else:
        plain_console(stderr=True).print(words, style=style, soft_wrap=True)
