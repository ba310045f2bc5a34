"""The watchdog tells what holds the event loop up."""

import asyncio
import time

from palabre.adapters.telemetry.watchdog import TOO_LONG_S, watch_loop
from palabre.testing.telemetry import RecordingTelemetry


async def watched(hold_up_s: float) -> RecordingTelemetry:
    telemetry = RecordingTelemetry()
    watching = asyncio.create_task(watch_loop(telemetry))
    await asyncio.sleep(0.01)
    time.sleep(hold_up_s)  # noqa: ASYNC251 - the very fault
    await asyncio.sleep(0.05)
    watching.cancel()
    return telemetry


async def test_a_call_that_blocks_is_counted_and_measured() -> None:
    telemetry = await watched(hold_up_s=0.2)
    assert telemetry.counts[("loop_held_up", "")] >= 1
    assert telemetry.gauges["loop_lag_max_seconds"] > TOO_LONG_S


async def test_a_loop_that_runs_freely_is_not_accused() -> None:
    """Three tries: where several systems share a processor, nobody tells that ours stood still."""
    counts = [(await watched(hold_up_s=0.0)).counts["loop_held_up", ""] for _ in range(3)]
    assert min(counts) == 0
