"""Watch the event loop: say so when something held it up."""

import asyncio
import logging
from pathlib import Path

from palabre.core.telemetry.ports import Telemetry

LOOK_EVERY_S = 0.02
TOO_LONG_S = 0.05
"""Nothing may hold the loop up longer."""

_SCHEDSTAT = Path("/proc/thread-self/schedstat")
_log = logging.getLogger(__name__)


async def watch_loop(telemetry: Telemetry) -> None:
    """Measure how long something holds the loop up, for ever.

    Time in which other programs had the processor is left out where the system tells it: that is
    a busy machine, not a fault of ours. The longest hold-up is a gauge, those that are too long
    are counted and logged.
    """
    loop = asyncio.get_running_loop()
    longest_s = 0.0
    telemetry.set("loop_lag_max_seconds", longest_s)
    while True:
        due_s, queued_s = loop.time() + LOOK_EVERY_S, _queued_s()
        await asyncio.sleep(LOOK_EVERY_S)
        lag_s = loop.time() - due_s
        if lag_s > longest_s or lag_s > TOO_LONG_S:
            lag_s -= _queued_s() - queued_s
        if lag_s > TOO_LONG_S:
            telemetry.count("loop_held_up")
            _log.warning("event loop held up for %.0f ms", lag_s * 1000)
        if lag_s > longest_s:
            longest_s = lag_s
            telemetry.set("loop_lag_max_seconds", longest_s)


def _queued_s() -> float:
    """Return how long this thread has waited for a processor; 0 where nobody tells."""
    try:
        return int(_SCHEDSTAT.read_text().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0
