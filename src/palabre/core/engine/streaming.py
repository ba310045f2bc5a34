"""Turn one dataset into another, row by row: what most nodes between sources and trainers do."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from palabre.core.engine.artifacts import Artifact, Kind, Record
from palabre.core.engine.step import Blocked, Done, StepCall, StepContext, StepResult
from palabre.core.tools.model import Json
from palabre.kernel.text import text

Change = Callable[[Record], Record | None]
"""Returns what becomes of a row; None leaves it out."""


@dataclass(slots=True)
class Tally:
    """How many rows were read and written."""

    read: int = 0
    written: int = 0

    @property
    def details(self) -> dict[str, Json]:
        """As a step tells it."""
        return {"read": self.read, "written": self.written, "left_out": self.read - self.written}


async def changed(
    call: StepCall,
    context: StepContext,
    change: Change,
    *,
    output: str,
    kind: Kind | None = None,
) -> StepResult:
    """Write `change(row)` for each row of the input `dataset`, each share for itself.

    Args:
        call: Has one artifact for `dataset`.
        context: Of the step.
        change: Sees the rows of all shares, one after the other.
        output: Name of the output.
        kind: Of the output; None for that of the input.

    Returns:
        `Blocked` when no row is left.
    """
    given = call.given("dataset")
    tally = Tally()
    for part in given.parts:
        async with context.files.writing(output, part) as writer:
            async for piece in context.files.records(given, part):
                rows = [row for each in piece if (row := change(each)) is not None]
                await writer.write(rows)
                tally.read, tally.written = tally.read + len(piece), tally.written + len(rows)
                tell(context, tally.read, given)
    return await finished(context, tally, output, kind or given.kind, given.payload)


async def finished(
    context: StepContext, tally: Tally, output: str, kind: Kind, payload: Mapping[str, Json]
) -> StepResult:
    """Return the outcome of a step that wrote rows to *output*; blocked without any."""
    if not tally.written:
        return Blocked(text("step.no_rows", read=tally.read))
    artifact = await context.files.artifact(output, kind, payload)
    return Done((artifact,), tally.details)


def tell(context: StepContext, done: int, given: Artifact) -> None:
    """Tell that *done* of the rows of *given* are dealt with, and hear whether to go on."""
    context.report.check()
    context.report.progress(100 * done / max(given.records, done, 1))
