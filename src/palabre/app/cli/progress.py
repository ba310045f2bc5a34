"""Show how far a download is: a bar on a terminal, a line now and then in a log."""

import logging
from collections.abc import AsyncGenerator

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

from palabre.core.models.model import PullProgress

LOG_EVERY_PERCENT = 10

_log = logging.getLogger("palabre")


async def show_pull(progress: AsyncGenerator[PullProgress], *, quiet: bool = False) -> None:
    """Read *progress* to its end and show it on standard error."""
    console = Console(stderr=True)
    if not console.is_terminal and not quiet:
        await _log_it(progress)
        return
    bar = Progress(
        "{task.description}",
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=quiet,
        transient=True,
    )
    with bar:
        await _draw(progress, bar)


async def _draw(progress: AsyncGenerator[PullProgress], bar: Progress) -> None:
    task = bar.add_task("", total=None, visible=False)
    async for each in progress:
        if each.total_bytes:
            bar.update(
                task,
                description=each.status,
                total=each.total_bytes,
                completed=each.done_bytes or 0,
                visible=True,
            )


async def _log_it(progress: AsyncGenerator[PullProgress]) -> None:
    told = -1
    async for each in progress:
        if not each.total_bytes:
            continue
        step = 100 * (each.done_bytes or 0) // each.total_bytes // LOG_EVERY_PERCENT
        if step != told:
            told = step
            _log.info("%s: %d %%", each.status, step * LOG_EVERY_PERCENT)
