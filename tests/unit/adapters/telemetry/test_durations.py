"""Percentiles in little memory, close to the true ones."""

import random

import pytest

from palabre.adapters.telemetry.durations import GROWTH, Durations


def test_nothing_has_taken_no_time() -> None:
    assert Durations().mean_ms == 0
    assert Durations().percentile_ms(99) == 0


def test_one_duration_is_every_percentile() -> None:
    durations = Durations()
    durations.note(7.3)
    assert [durations.percentile_ms(percent) for percent in (50, 95, 99)] == [7.3] * 3


@pytest.mark.parametrize("percent", [50, 95, 99])
def test_a_percentile_is_at_most_five_percent_off(percent: int) -> None:
    chance = random.Random(1)  # noqa: S311 - a test
    taken_ms = sorted(chance.lognormvariate(1, 2) for _ in range(10_000))
    durations = Durations()
    for duration_ms in taken_ms:
        durations.note(duration_ms)
    true_ms = taken_ms[len(taken_ms) * percent // 100 - 1]
    assert true_ms <= durations.percentile_ms(percent) <= true_ms * GROWTH


def test_what_was_slow_long_ago_still_counts() -> None:
    durations = Durations()
    for duration_ms in [*[1000.0] * 500, *[1.0] * 500, *[0.0] * 10]:
        durations.note(duration_ms)
    assert durations.percentile_ms(95) == pytest.approx(1000, rel=0.05)
    assert durations.max_ms == 1000
    assert durations.count == 1010
