"""What was seen before."""

from hypothesis import given
from hypothesis import strategies as st

from palabre.core.engine.seen import Seen


@given(st.lists(st.integers(0, 300)))
def test_a_thing_is_new_once(numbers: list[int]) -> None:
    seen = Seen()
    known: set[int] = set()
    for number in numbers:
        assert seen.add(number.to_bytes(8, "little")) is ((number or 1) not in known)
        known.add(number or 1)
    assert len(seen) == len(known)


def test_it_grows_without_forgetting() -> None:
    seen = Seen()
    digests = [
        (number * 0x9E3779B97F4A7C15 % 2**64).to_bytes(8, "little") for number in range(5000)
    ]
    assert all(seen.add(each) for each in digests[1:])
    assert not any(seen.add(each) for each in digests[1:])
