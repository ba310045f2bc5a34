"""`palabre mcp`: the tools of a running house for a program that speaks MCP over pipes."""

import asyncio
import sys
from importlib.metadata import version
from typing import Annotated

import typer

from palabre.app.cli.options import ConfigOption
from palabre.app.settings import Settings, load_settings
from palabre.kernel.errors import UserError
from palabre.kernel.text import text
from palabre.texts import say

app = typer.Typer()

SPARE_S = 30.0
"""Added to the patience of the house, so that its own answer comes first."""

PROBE_TIMEOUT_S = 2.0


class NoMcpKeyError(UserError):
    """No key is set by which the house lets this program in."""

    code = "mcp_no_key"


@app.command()
def mcp(
    *,
    url: Annotated[
        str | None, typer.Option(help="The house's address; without it, the one of the settings.")
    ] = None,
    config: ConfigOption = None,
) -> None:
    """Give a program on this machine the tools of a running house, over standard input and output.

    The house is asked over HTTP, by the key of `api.key` (scope `mcp`). It may be started later.

    **Examples**

    `PALABRE_API__KEY=pal_... palabre mcp`

    `palabre mcp --url https://chat.example.org`
    """
    settings = load_settings(config=config).settings
    if settings.api.key is None:
        raise NoMcpKeyError
    base = (url or f"http://127.0.0.1:{settings.server.port}").rstrip("/").removesuffix("/mcp")
    asyncio.run(_serve(settings, f"{base}/mcp", settings.api.key.get_secret_value()))


async def _serve(settings: Settings, url: str, key: str) -> None:
    from palabre.surfaces.mcp.relay import Relay, is_there, relay  # noqa: PLC0415 - slow

    if not await is_there(url, PROBE_TIMEOUT_S):
        sys.stderr.write(say(text("mcp.no_house", url=url), settings.language) + "\n")
    timeout_s = settings.api.chat_timeout_s + SPARE_S
    await relay(Relay(url, key, settings.language, timeout_s), version("palabre"))
