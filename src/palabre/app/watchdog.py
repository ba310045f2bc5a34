"""Watch the event loop: say so when something held it up."""

import asyncio
import logging

from palabre.core.telemetry.ports import Telemetry

LOOK_EVERY_S = 0.02
TOO_LONG_S = 0.05
"""Nothing may hold the loop up longer."""

_log = logging.getLogger(__name__)


async def watch_loop(telemetry: Telemetry) -> None:
    """Measure how late the loop is, for ever; the longest wait is the gauge to look at."""
    loop = asyncio.get_running_loop()
    longest_s = 0.0
    telemetry.set("loop_lag_max_seconds", longest_s)
    while True:
        due_s = loop.time() + LOOK_EVERY_S
        await asyncio.sleep(LOOK_EVERY_S)
        lag_s = loop.time() - due_s
        if lag_s > TOO_LONG_S:
            telemetry.count("loop_held_up")
            _log.warning("event loop held up for %.0f ms", lag_s * 1000)
        if lag_s > longest_s:
            longest_s = lag_s
            telemetry.set("loop_lag_max_seconds", longest_s)
