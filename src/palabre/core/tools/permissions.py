"""Which tools a persona's list allows: what it does not name is forbidden. Pure."""

from collections.abc import Iterable

MCP = "mcp:"
_ALL = "/*"


def mcp_key(source: str, tool: str) -> str:
    """Return how lists name a tool of an MCP server."""
    return f"{MCP}{source}/{tool}"


def is_allowed(permission: str, listed: Iterable[str]) -> bool:
    """Say whether one of *listed* is *permission*, or `mcp:<source>/*` with its source."""
    source, slash, _ = permission.partition("/")
    wide = f"{source}{_ALL}" if slash and permission.startswith(MCP) else permission
    return any(each in {permission, wide} for each in listed)


def sources_of(listed: Iterable[str]) -> set[str]:
    """Return the MCP servers that *listed* allows anything of."""
    named = (each.removeprefix(MCP).partition("/") for each in listed if each.startswith(MCP))
    return {source for source, slash, tool in named if source and slash and tool}
