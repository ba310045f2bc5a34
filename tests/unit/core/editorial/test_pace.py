"""How often somebody may judge answers."""

import pytest

from palabre.core.editorial.errors import FeedbackTooFastError
from palabre.core.editorial.pace import ADDRESS_LIMIT, VOTER_LIMIT, WINDOW_S, Pace


def test_a_voter_who_is_too_fast_is_heard_again_when_the_window_is_over() -> None:
    pace = Pace()
    for _ in range(VOTER_LIMIT):
        pace.admit("anne", "1", 0)
    with pytest.raises(FeedbackTooFastError):
        pace.admit("anne", "1", WINDOW_S)
    pace.admit("bob", "1", 0)
    pace.admit("anne", "1", WINDOW_S + 0.1)


def test_many_voters_of_one_address_are_limited_together() -> None:
    pace = Pace()
    for number in range(ADDRESS_LIMIT):
        pace.admit(f"nick {number}", "1", 0)
    with pytest.raises(FeedbackTooFastError):
        pace.admit("another", "1", 0)
    pace.admit("another", "2", 0)
