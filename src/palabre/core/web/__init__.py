"""The web outside: fetching through one gateway, and searching."""
