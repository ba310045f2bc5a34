import pytest

from palabre.core.telemetry.timing import timed
from palabre.testing.clock import FrozenClock
from palabre.testing.telemetry import RecordingTelemetry


def test_a_block_that_ends_well_is_timed() -> None:
    telemetry, clock = RecordingTelemetry(), FrozenClock()
    with timed(telemetry, clock, "reply_seconds"):
        clock.advance(2.5)
    assert telemetry.observed == {"reply_seconds": [2.5]}


def test_a_block_that_fails_is_not() -> None:
    telemetry = RecordingTelemetry()
    with pytest.raises(ValueError, match="no"), timed(telemetry, FrozenClock(), "reply_seconds"):
        raise ValueError("no")
    assert telemetry.observed == {}
