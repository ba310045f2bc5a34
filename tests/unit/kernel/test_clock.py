from datetime import UTC, datetime

import pytest

from palabre.kernel.clock import iso_utc


@pytest.mark.parametrize(
    ("moment", "written"),
    [
        (datetime(2026, 3, 20, 10, 0, 0, 7999, tzinfo=UTC), "2026-03-20T10:00:00.007Z"),
        (datetime(33, 4, 3, tzinfo=UTC), "0033-04-03T00:00:00.000Z"),
    ],
)
def test_a_moment_is_written_with_four_digits_of_year_and_three_of_second(
    moment: datetime, written: str
) -> None:
    assert iso_utc(moment) == written
    assert datetime.fromisoformat(written) <= moment
