"""Tools that are not ours: MCP servers."""
