"""How long things took, as percentiles, in little memory."""

import math
from collections import Counter

from palabre.core.telemetry.ports import Timing

SHORTEST_MS = 0.01
GROWTH = 1.05
"""Each bucket is this much longer than the one before: no percentile is further off."""

_LOG_GROWTH = math.log(GROWTH)


class Durations:
    """Counts durations in buckets of growing length; none of them is ever thrown away."""

    def __init__(self) -> None:
        self.count = 0
        self.total_ms = 0.0
        self.max_ms = 0.0
        self._buckets: Counter[int] = Counter()

    def note(self, duration_ms: float) -> None:
        """Count one duration."""
        self.count += 1
        self.total_ms += duration_ms
        self.max_ms = max(self.max_ms, duration_ms)
        self._buckets[_bucket(duration_ms)] += 1

    @property
    def mean_ms(self) -> float:
        """The mean; 0 before the first one."""
        return self.total_ms / self.count if self.count else 0.0

    def timing(self) -> Timing:
        """Return what there is to tell of them."""
        p50_ms, p95_ms, p99_ms = (self.percentile_ms(percent) for percent in (50, 95, 99))
        return Timing(self.count, self.mean_ms, self.max_ms, p50_ms, p95_ms, p99_ms)

    def percentile_ms(self, percent: float) -> float:
        """Return what *percent* of all durations did not exceed; 0 before the first one."""
        wanted, seen = self.count * percent / 100, 0
        for bucket in sorted(self._buckets):
            seen += self._buckets[bucket]
            if seen >= wanted:
                return min(SHORTEST_MS * GROWTH**bucket, self.max_ms)
        return 0.0


def _bucket(duration_ms: float) -> int:
    """Return the first bucket whose upper end is not below *duration_ms*."""
    if duration_ms <= SHORTEST_MS:
        return 0
    return math.ceil(math.log(duration_ms / SHORTEST_MS) / _LOG_GROWTH)
