from palabre.core.auth import logins
from palabre.core.auth.logins import LoginWindows


def test_the_sixth_try_within_a_minute_is_refused() -> None:
    windows = LoginWindows()
    assert [windows.admit("a", float(second)) for second in range(6)] == [True] * 5 + [False]
    assert windows.admit("b", 5.0)
    assert windows.admit("a", 60.0)
    assert not windows.admit("a", 60.5)


def test_addresses_that_were_quiet_longest_are_forgotten_first() -> None:
    windows = LoginWindows()
    for _ in range(5):
        windows.admit("a", 0.0)
    for number in range(logins.MAX_REMEMBERED):
        windows.admit(f"b{number}", 0.0)
    assert windows.admit("a", 1.0)
    assert len(windows._tries) == logins.MAX_REMEMBERED
