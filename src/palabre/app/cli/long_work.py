"""Show how far something is that takes long: a bar on a terminal, after two seconds."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TimeRemainingColumn

PATIENCE_S = 2.0
"""What is done sooner is not worth a bar."""

Told = Callable[[int, int], None]
"""Takes how much is done by now, and how much there is to do."""


@contextmanager
def bar(words: str, *, quiet: bool = False) -> Iterator[Told]:
    """Give what is told how much is done; *words* stand before the bar."""
    console = Console(stderr=True)
    until_s = time.monotonic() + PATIENCE_S
    drawn = Progress(
        "{task.description}",
        BarColumn(),
        TaskProgressColumn(show_speed=True),
        TimeRemainingColumn(),
        console=console,
        disable=quiet or not console.is_terminal,
        transient=True,
    )
    with drawn:
        task = drawn.add_task(words, visible=False)

        def tell(done: int, total: int) -> None:
            visible = time.monotonic() >= until_s
            drawn.update(task, completed=done, total=max(done, total), visible=visible)

        yield tell
