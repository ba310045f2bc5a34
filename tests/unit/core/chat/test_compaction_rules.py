import pytest

from palabre.core.chat.compaction_rules import GB, MB, MachineLimits, limits_for


@pytest.mark.parametrize(
    ("total_gb", "limits"),
    [
        (8, MachineLimits(300, 40 * MB, 256 * MB, 10_000)),
        (16, MachineLimits(400, 75 * MB, 512 * MB, 15_000)),
        (32, MachineLimits(600, 120 * MB, 900 * MB, 24_000)),
        (64, MachineLimits(900, 180 * MB, 1400 * MB, 32_000)),
    ],
)
def test_limits_go_by_memory(total_gb: int, limits: MachineLimits) -> None:
    assert limits_for(total_gb * GB, total_gb * GB) == limits


def test_limits_shrink_where_little_is_free_but_not_below_a_floor() -> None:
    large = 100 * GB
    assert limits_for(large, 14 * GB).file_bytes == int(180 * MB * 0.6)
    assert limits_for(large, 7 * GB).total_bytes == int(1400 * MB * 0.35)
    assert limits_for(large, 15 * GB).file_bytes == 180 * MB
    small = limits_for(4 * GB, 0)
    assert (small.file_bytes, small.total_bytes) == (16 * MB, 128 * MB)


def test_a_machine_that_does_not_tell_has_the_smallest_limits() -> None:
    assert limits_for(0, 0) == limits_for(8 * GB, 8 * GB)
