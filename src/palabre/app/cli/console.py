"""Where commands print for people."""

from rich.console import Console


def plain_console(*, stderr: bool = False) -> Console:
    """Return a console that prints words as they are: no brackets in them mean anything."""
    return Console(stderr=stderr, highlight=False, markup=False)
