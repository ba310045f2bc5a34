"""However many come and go, a channel's list is told at once and then at most every so often."""

import asyncio

from palabre.core.chat.hub import RoomHub
from palabre.core.chat.model import RosterListed
from palabre.core.chat.roster import QUIET_S, RosterAnnouncer
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.sinks import RecordingSink
from palabre.testing.telemetry import RecordingTelemetry

HERE = ChannelName("#here")


class Listing:
    def __init__(self) -> None:
        self.here: list[Nick] = []
        self.sink, hub = RecordingSink(), RoomHub(RecordingTelemetry())
        hub.listen(HERE, self.sink)
        self.announcer = RosterAnnouncer(hub, lambda channel: tuple(self.here))

    def come(self, nick: str) -> None:
        self.here.append(Nick(nick))
        self.announcer.announce(HERE)

    async def lists(self, wait_s: float) -> list[int]:
        await asyncio.sleep(wait_s)
        return [len(each.nicks) for each in self.sink.events if isinstance(each, RosterListed)]


async def test_the_first_is_told_at_once_and_a_burst_in_one_list_afterwards() -> None:
    listing = Listing()
    listing.come("a")
    assert await listing.lists(0) == [1]
    for number in range(100):
        listing.come(f"b{number}")
    assert await listing.lists(0) == [1]
    assert await listing.lists(QUIET_S + 0.1) == [1, 101]
    assert await listing.lists(QUIET_S + 0.1) == [1, 101]


async def test_after_the_quiet_time_the_next_is_told_at_once_again() -> None:
    listing = Listing()
    listing.come("a")
    await listing.lists(QUIET_S + 0.1)
    listing.come("b")
    assert await listing.lists(0) == [1, 2]
