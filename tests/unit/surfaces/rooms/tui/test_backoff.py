from palabre.surfaces.rooms.tui.backoff import Backoff


def test_the_delays_are_those_of_the_seed_and_end_after_twenty_attempts() -> None:
    delays = []
    backoff = Backoff()
    while not backoff.exhausted:
        delays.append(backoff.delay_s)
        backoff = backoff.failed()
    assert delays == [1, 2, 4, 8, 16] + [30] * 15
