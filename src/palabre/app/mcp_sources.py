"""The MCP servers whose tools personas may use, as the settings want them."""

from asyncio import TaskGroup
from collections.abc import Callable
from functools import partial

from mcp.client import Transport

from palabre.adapters.tools.child import Command, child_streams
from palabre.adapters.tools.mcp_source import McpSource
from palabre.adapters.tools.remote import remote_streams
from palabre.adapters.web.gateway import HttpGateway
from palabre.app.env_file import read_variables
from palabre.app.settings import Settings
from palabre.app.settings.tools import McpSettings
from palabre.core.tools.ports import ToolSource

MAX_ANSWER_BYTES = 4 * 1024 * 1024
SPARE_S = 5.0
"""Added to the patience of what carries a call, so that the call ends first."""


def mcp_sources(settings: Settings, tasks: TaskGroup) -> list[ToolSource]:
    """Return the servers of *settings*, which are started when they are needed, in *tasks*.

    Raises:
        EnvFileError: A file that the settings name cannot be read.
    """
    return [
        McpSource(name, _connect(source), tasks=tasks, timeout_s=source.timeout_s)
        for name, source in settings.tools.mcp.items()
    ]


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
