"""Tell a channel who is in it, at most four times a second however many come and go."""

import asyncio
from collections.abc import Callable

from palabre.core.chat.hub import RoomHub
from palabre.core.chat.model import RosterListed
from palabre.kernel.ids import ChannelName, Nick

QUIET_S = 0.25
"""Shortest time between two lists of one channel: N leaving cost N lines, not N lists."""


class RosterAnnouncer:
    """Broadcasts a channel's list at once when it was quiet, else when the quiet time is over."""

    def __init__(self, hub: RoomHub, roster: Callable[[ChannelName], tuple[Nick, ...]]) -> None:
        self._hub = hub
        self._roster = roster
        self._due: dict[ChannelName, bool] = {}

    def announce(self, channel: ChannelName) -> None:
        """Let *channel* know who is in it."""
        if channel in self._due:
            self._due[channel] = True
        else:
            self._publish(channel)

    def _publish(self, channel: ChannelName) -> None:
        self._hub.publish(channel, RosterListed(self._roster(channel)))
        self._due[channel] = False
        asyncio.get_running_loop().call_later(QUIET_S, self._after_quiet, channel)

    def _after_quiet(self, channel: ChannelName) -> None:
        if self._due.pop(channel):
            self._publish(channel)
