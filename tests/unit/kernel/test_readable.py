"""Sizes and durations as people read them."""

import pytest

from palabre.kernel.readable import readable_duration, readable_size


@pytest.mark.parametrize(
    ("size_bytes", "expected"),
    [
        (None, "?"),
        (0, "0.0MB"),
        (287_309_824, "274.0MB"),
        (1024**3, "1.0GB"),
        (4_831_838_208, "4.5GB"),
    ],
)
def test_sizes(size_bytes: int | None, expected: str) -> None:
    assert readable_size(size_bytes) == expected


@pytest.mark.parametrize(
    ("duration_s", "expected"),
    [(0, "0h0m0s"), (59.9, "0h0m59s"), (9252, "2h34m12s"), (90_061, "25h1m1s")],
)
def test_durations(duration_s: float, expected: str) -> None:
    assert readable_duration(duration_s) == expected
