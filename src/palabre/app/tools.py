"""The tools that personas may use, as the settings want them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from mcp.client import Transport

from palabre.adapters.tools.child import Command, child_streams
from palabre.adapters.tools.mcp_source import McpSource
from palabre.adapters.tools.remote import remote_streams
from palabre.adapters.web.gateway import HttpGateway
from palabre.app.settings import Settings
from palabre.app.settings.tools import McpSettings
from palabre.core.tools.model import Tool
from palabre.core.tools.toolbox import ToolSet
from palabre.features import tools
from palabre.kernel.errors import SetupError
from palabre.kernel.registry import discover

MAX_ANSWER_BYTES = 4 * 1024 * 1024
MAX_ENV_FILE_BYTES = 64 * 1024
SPARE_S = 5.0
"""Added to the patience of what carries a call, so that the call ends first."""


class EnvFileError(SetupError):
    """The file of variables for an MCP server cannot be used: `data["path"]`, `data["detail"]`."""

    code = "env_file"


@asynccontextmanager
async def opened_tools(settings: Settings) -> AsyncIterator[ToolSet]:
    """Give the tools there are; MCP servers are started when they are needed, and end here.

    Raises:
        EnvFileError: A file that the settings name cannot be read.
    """
    own = discover(tools, "TOOL", Tool)
    async with asyncio.TaskGroup() as tasks:
        sources = [
            McpSource(name, _connect(source), tasks=tasks, timeout_s=source.timeout_s)
            for name, source in settings.tools.mcp.items()
        ]
        try:
            yield ToolSet(own, sources)
        finally:
            await asyncio.gather(*(source.aclose() for source in sources))


def _connect(source: McpSettings) -> Callable[[Callable[[], None]], Transport]:
    if source.command:
        variables = read_variables(source.env_file) if source.env_file else {}
        return partial(child_streams, Command(source.command, source.args, variables))
    headers = {}
    if source.token is not None:
        headers["Authorization"] = f"Bearer {source.token.get_secret_value()}"
    client = partial(
        HttpGateway(trusted=[source.url]).client,
        timeout_s=source.timeout_s + SPARE_S,
        max_bytes=MAX_ANSWER_BYTES,
        headers=headers,
    )
    return lambda _gone: remote_streams(source.url, client)


def read_variables(path: Path) -> dict[str, str]:
    """Return the variables of a file of `NAME=value` lines; empty lines and `#` are left out.

    Raises:
        EnvFileError: It cannot be read, or a line is none of these.
    """
    try:
        with path.open(encoding="utf-8") as file:
            lines = file.read(MAX_ENV_FILE_BYTES).splitlines()
    except (OSError, ValueError) as error:
        detail = getattr(error, "strerror", None) or "UTF-8 ?"
        raise EnvFileError(path=str(path), detail=detail) from error
    found: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        name, equals, value = line.strip().partition("=")
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not equals or not name.strip().isidentifier():
            raise EnvFileError(path=str(path), detail=f"{number}: NAME=value ?")
        found[name.strip()] = value.strip()
    return found
