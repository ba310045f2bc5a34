"""How long the server's event loop was blocked, from its own metrics."""

import re
import urllib.error
import urllib.request

from bench.rows import Row

BUDGET_S = 0.050
_SAMPLE = re.compile(r"^palabre_loop_lag_seconds(_max|_bucket|)(?:\{(.*)\})? (\S+)$", re.MULTILINE)


def longest_stall_s(port: int) -> float | None:
    """Return the longest stall that the server on *port* saw; None if it does not tell."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            return parse(answer.read().decode())
    except (OSError, urllib.error.HTTPError):
        return None


def parse(metrics: str) -> float | None:
    """Read the gauge, or the upper end of the highest bucket that is not empty."""
    buckets: list[tuple[float, float]] = []
    gauges: list[float] = []
    for kind, labels, value in _SAMPLE.findall(metrics):
        if kind == "_bucket":
            buckets.append((float(labels.partition('le="')[2].partition('"')[0]), float(value)))
        else:
            gauges.append(float(value))
    if gauges:
        return max(gauges)
    total = max((count for _, count in buckets), default=0.0)
    return min((bound for bound, count in buckets if count == total), default=None)


def measure(stalls_s: list[float]) -> list[Row]:
    """Return the longest stall of all servers of the run; nothing if none tells."""
    if not stalls_s:
        return []
    note = "the event loop, in all runs above"
    return [Row("longest stall", max(stalls_s) * 1000, "ms", BUDGET_S * 1000, note=note)]
