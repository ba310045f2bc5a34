"""The MCP server of a running program."""

from importlib.metadata import version
from typing import TYPE_CHECKING

from palabre.app.openai_api import build_direct
from palabre.surfaces.http.key_gate import KeyGate
from palabre.surfaces.mcp.desk import Desk
from palabre.surfaces.mcp.http import McpEntrance

if TYPE_CHECKING:
    from palabre.app.bootstrap import App


def build_mcp(app: "App", gate: KeyGate) -> McpEntrance:
    """Return the application that serves `/mcp`."""
    settings, ports = app.settings, app.ports
    desk = Desk(
        chat=app.chat,
        direct=build_direct(app),
        history=app.history,
        knowledge=ports.knowledge,
        models=ports.models,
        machine=ports.machine,
        language=settings.language,
        default_channel=settings.rooms.default_channel,
        timeout_s=settings.api.chat_timeout_s,
        version=version("palabre"),
    )
    return McpEntrance(desk, gate, ports.ids, settings.rooms.allowed_origins)
