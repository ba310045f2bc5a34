from contextlib import ExitStack

import pytest

from palabre.core.auth.key_errors import (
    HouseFullError,
    TooManyAtOnceError,
    TooManyRequestsError,
)
from palabre.core.auth.key_limits import KeyLimits, KeyTraffic
from palabre.testing.clock import FrozenClock


def traffic(**limits: int) -> tuple[KeyTraffic, FrozenClock]:
    clock = FrozenClock()
    return KeyTraffic(KeyLimits(**limits), clock), clock


def ask(places: KeyTraffic, key: str = "a") -> None:
    with places.place(key):
        pass


def test_a_key_asks_so_often_in_a_minute_and_is_told_when_it_may_again() -> None:
    places, clock = traffic(per_minute=2)
    ask(places)
    clock.advance(50)
    ask(places)
    with pytest.raises(TooManyRequestsError) as caught:
        ask(places)
    assert caught.value.data == {"limit": 2, "retry_after_s": 10}
    clock.advance(10)
    ask(places)


def test_what_is_refused_takes_no_place() -> None:
    places, clock = traffic(per_minute=1)
    ask(places)
    for _ in range(5):
        clock.advance(10)
        with pytest.raises(TooManyRequestsError):
            ask(places)
    clock.advance(10)
    ask(places)


def test_keys_do_not_share_their_limits() -> None:
    places, _ = traffic(per_minute=1, at_once=1)
    with places.place("a"), places.place("b"):
        pass


def test_a_key_has_so_many_answers_at_once_and_gets_its_place_back() -> None:
    places, _ = traffic(at_once=1)
    with places.place("a"):
        with pytest.raises(TooManyAtOnceError) as caught:
            ask(places)
        assert caught.value.data["limit"] == 1
    ask(places)


def test_a_place_is_given_back_after_a_failure() -> None:
    places, _ = traffic(at_once=1)
    with pytest.raises(RuntimeError), places.place("a"):
        raise RuntimeError
    ask(places)


def test_all_keys_together_leave_room_for_others() -> None:
    places, _ = traffic(at_once_over_all=2)
    with ExitStack() as stack:
        stack.enter_context(places.place("a"))
        stack.enter_context(places.place("b"))
        with pytest.raises(HouseFullError):
            ask(places, "c")
    ask(places, "c")


def test_a_refused_place_is_not_counted_as_a_request() -> None:
    places, _ = traffic(at_once=1, per_minute=2)
    with places.place("a"), pytest.raises(TooManyAtOnceError):
        ask(places)
    ask(places)
    with pytest.raises(TooManyRequestsError):
        ask(places)
