"""So much in any stretch of time, and no more."""

from hypothesis import given
from hypothesis import strategies as st

from palabre.kernel.sliding_window import SlidingWindow


def test_the_sixteenth_in_ten_seconds_is_refused_and_who_waits_is_heard_again() -> None:
    window = SlidingWindow(15, 10)
    assert [window.admit(0.1 * number) for number in range(16)] == [True] * 15 + [False]
    assert not window.admit(9.9)
    assert window.admit(10.05)
    assert not window.admit(10.06)


@given(st.lists(st.floats(0, 3), max_size=60))
def test_no_stretch_of_time_holds_more_than_the_limit(pauses_s: list[float]) -> None:
    window, now_s, admitted = SlidingWindow(5, 10), 0.0, []
    for pause_s in pauses_s:
        now_s += pause_s
        if window.admit(now_s):
            admitted.append(now_s)
        else:
            assert len([each for each in admitted if each >= now_s - 10]) == 5
    for start_s in admitted:
        assert len([each for each in admitted if start_s <= each <= start_s + 10]) <= 5


def test_bytes_are_counted_as_many_as_they_are() -> None:
    window = SlidingWindow(50, 60)
    assert all(window.admit(float(second), 10) for second in range(5))
    assert not window.admit(59.9, 1)
    assert window.admit(60.5, 10)
    assert not window.admit(60.5, 1)


def test_what_is_refused_takes_no_place() -> None:
    window = SlidingWindow(50, 60)
    assert not window.admit(0, 51)
    assert window.admit(0, 50)
