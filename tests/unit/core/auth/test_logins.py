import pytest

from palabre.core.auth import logins
from palabre.core.auth.logins import LoginWindows, neighbourhood


def test_the_sixth_try_within_a_minute_is_refused() -> None:
    windows = LoginWindows()
    waits_s = [windows.admit("a", float(second)) for second in range(6)]
    assert waits_s == [0.0] * 5 + [55.0]
    assert not windows.admit("b", 5.0)
    assert not windows.admit("a", 60.0)
    assert windows.admit("a", 60.5) == 0.5


def test_addresses_that_were_quiet_longest_are_forgotten_first() -> None:
    windows = LoginWindows()
    for _ in range(5):
        windows.admit("a", 0.0)
    for number in range(logins.MAX_REMEMBERED):
        windows.admit(f"b{number}", 0.0)
    assert not windows.admit("a", 1.0)
    assert len(windows._tries) == logins.MAX_REMEMBERED


@pytest.mark.parametrize(
    ("address", "neighbours"),
    [
        ("10.0.0.1", ["10.0.0.1", "::ffff:10.0.0.1", "::ffff:a00:1"]),
        ("2001:db8::1", ["2001:0db8:0:0::1", "2001:db8::ffff:1", "2001:db8::a:b:c:d"]),
        ("::1", ["0:0:0:0:0:0:0:1"]),
        ("", [""]),
        ("no address", ["no address"]),
    ],
)
def test_who_has_many_addresses_is_counted_once(address: str, neighbours: list[str]) -> None:
    assert {neighbourhood(each) for each in neighbours} == {neighbourhood(address)}


def test_others_are_counted_on_their_own() -> None:
    addresses = ("10.0.0.1", "10.0.0.2", "2001:db8::1", "2001:db8:0:1::1", "")
    assert len({neighbourhood(each) for each in addresses}) == len(addresses)
