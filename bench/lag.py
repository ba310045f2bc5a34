"""How long the server's event loop was blocked, from its own metrics."""

import re
import urllib.request

from bench.rows import Row

BUDGET_S = 0.050
_SAMPLE = re.compile(r"^palabre_loop_lag_max_seconds (\S+)$", re.MULTILINE)


def longest_stall_s(port: int) -> float | None:
    """Return the longest stall that the server on *port* saw; None if it does not tell."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            return parse(answer.read().decode())
    except OSError:
        return None


def parse(metrics: str) -> float | None:
    """Read the gauge; None if it is not there."""
    found = _SAMPLE.search(metrics)
    return float(found.group(1)) if found else None


def measure(stalls_s: list[float]) -> list[Row]:
    """Return the longest stall of all servers of the run; nothing if none tells."""
    if not stalls_s:
        return []
    note = "the event loop, in all runs above"
    return [Row("longest stall", max(stalls_s) * 1000, "ms", BUDGET_S * 1000, note=note)]
