"""What the running process tells of itself."""

import pytest

from palabre.adapters.telemetry.machine import ProcessMachine, parse_gpu
from palabre.core.telemetry.ports import GpuUse
from palabre.testing.clock import FrozenClock


def test_uptime_counts_from_the_start() -> None:
    clock = FrozenClock()
    machine = ProcessMachine(clock)
    clock.advance(5)
    assert machine.uptime_s() == 5


def test_a_process_holds_some_memory() -> None:
    assert 2**20 < ProcessMachine(FrozenClock()).resident_bytes() < 2**40


def test_requests_are_counted_by_status_and_time() -> None:
    machine = ProcessMachine(FrozenClock())
    for status, duration_s in ((200, 0.001), (200, 0.003), (404, 0.002)):
        machine.note_request(status, duration_s)
    use = machine.http()
    assert use.requests == 3
    assert use.statuses == {200: 2, 404: 1}
    assert use.mean_ms == pytest.approx(2)
    assert use.max_ms == pytest.approx(3)
    assert use.p50_ms == pytest.approx(2, rel=0.05)


@pytest.mark.parametrize(
    ("output", "use"),
    [
        ("8192, 24564, 45\n", GpuUse(8192, 24564, 45)),
        ("1, 2, 3\n4, 5, 6\n", GpuUse(1, 2, 3)),
        ("[N/A], 24564, 45\n", None),
        ("No devices were found\n", None),
        ("", None),
    ],
)
def test_the_first_card_counts_and_an_odd_answer_is_none(output: str, use: GpuUse | None) -> None:
    assert parse_gpu(output) == use
