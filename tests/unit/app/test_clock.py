import os
import re
import subprocess
import sys
import time
from datetime import UTC, datetime

from palabre.app.clock import SystemClock, SystemIds

IN_PARIS = """
from datetime import UTC, datetime
from palabre.app.clock import SystemClock
for month in (1, 7):
    print(datetime(2026, month, 1, 12, tzinfo=UTC).astimezone(SystemClock().zone).isoformat())
"""


def test_the_system_clock_tells_utc() -> None:
    now = SystemClock().now()
    assert now.tzinfo is UTC
    assert abs((now - datetime.now(UTC)).total_seconds()) < 5


def test_monotonic_goes_on() -> None:
    clock = SystemClock()
    earlier = clock.monotonic()
    time.sleep(0.001)
    assert clock.monotonic() > earlier


def test_the_zone_follows_summer_and_winter_time() -> None:
    said = subprocess.run(
        [sys.executable, "-c", IN_PARIS],
        env=os.environ | {"TZ": "CET-1CEST,M3.5.0,M10.5.0/3"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert said == ["2026-01-01T13:00:00+01:00", "2026-07-01T14:00:00+02:00"]


def test_an_id_holds_its_prefix_the_milliseconds_in_base_36_and_eight_hex_digits() -> None:
    before_ms = time.time_ns() // 1_000_000
    match = re.fullmatch(r"msg_([0-9a-z]+)_[0-9a-f]{8}", SystemIds().new("msg"))
    assert match
    assert 0 <= int(match[1], 36) - before_ms < 5_000


def test_ids_of_one_millisecond_differ() -> None:
    ids = SystemIds()
    assert len({ids.new("run") for _ in range(200)}) == 200
