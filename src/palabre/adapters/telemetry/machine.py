"""What this process and its machine are doing, read from the system."""

import asyncio
import resource
import sys
from collections import Counter
from pathlib import Path

from palabre.adapters.telemetry.durations import Durations
from palabre.core.telemetry.ports import GpuUse, HttpUse
from palabre.kernel.clock import Clock

_GPU_TIMEOUT_S = 2.0
_GPU_QUERY = (
    "nvidia-smi",
    "--query-gpu=memory.used,memory.total,utilization.gpu",
    "--format=csv,noheader,nounits",
)
_STATM = Path("/proc/self/statm")
_PAGE_BYTES = resource.getpagesize()


class ProcessMachine:
    """`Machine` of the running process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._started_s = clock.monotonic()
        self._durations = Durations()
        self._statuses: Counter[int] = Counter()

    def uptime_s(self) -> float:
        return self._clock.monotonic() - self._started_s

    def resident_bytes(self) -> int:
        if _STATM.exists():
            return int(_STATM.read_text().split()[1]) * _PAGE_BYTES
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024

    def note_request(self, status: int, duration_s: float) -> None:
        self._durations.note(duration_s * 1000)
        self._statuses[status] += 1

    def http(self) -> HttpUse:
        took = self._durations
        p50_ms, p95_ms, p99_ms = (took.percentile_ms(percent) for percent in (50, 95, 99))
        return HttpUse(
            requests=took.count,
            mean_ms=took.mean_ms,
            max_ms=took.max_ms,
            p50_ms=p50_ms,
            p95_ms=p95_ms,
            p99_ms=p99_ms,
            statuses=dict(self._statuses),
        )

    async def gpu(self) -> GpuUse | None:
        try:
            async with asyncio.timeout(_GPU_TIMEOUT_S):
                return parse_gpu(await _output())
        except (OSError, TimeoutError):
            return None


async def _output() -> str:
    process = await asyncio.create_subprocess_exec(
        *_GPU_QUERY,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        out, _ = await process.communicate()
    except asyncio.CancelledError:
        process.kill()
        raise
    return out.decode("utf-8", "replace")


def parse_gpu(output: str) -> GpuUse | None:
    """Read `8192, 24564, 45`, one line a card; the first card counts."""
    try:
        used, total, busy = (int(cell) for cell in output.splitlines()[0].split(","))
    except (ValueError, IndexError):
        return None
    return GpuUse(used, total, busy)
