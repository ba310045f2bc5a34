"""How long things take."""

from collections.abc import Iterator
from contextlib import contextmanager

from palabre.core.telemetry.ports import Telemetry
from palabre.kernel.clock import Clock


@contextmanager
def timed(telemetry: Telemetry, clock: Clock, name: str) -> Iterator[None]:
    """Note how long the block takes as a value of the distribution *name*, unless it fails."""
    started_s = clock.monotonic()
    yield
    telemetry.observe(name, clock.monotonic() - started_s)
