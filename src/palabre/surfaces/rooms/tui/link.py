"""How the connection stands, and that in words."""

from dataclasses import dataclass, replace
from enum import Enum
from typing import assert_never

from palabre.surfaces.rooms.tui.backoff import MAX_ATTEMPTS
from palabre.surfaces.rooms.tui.connection import (
    Event,
    GaveUp,
    Lost,
    Opened,
    Received,
    Waiting,
)
from palabre.surfaces.rooms.tui.words import Words

_FINAL = frozenset({"LOGIN invalid_credentials", "LOGIN validation_error"})
"""Refusals of name and password: trying again changes nothing."""


class Status(Enum):
    """The three states that a user is shown."""

    CONNECTED = "connected"
    RECONNECTING = "reconnecting"
    DISCONNECTED = "disconnected"


@dataclass(frozen=True, slots=True)
class Link:
    """How the connection stands.

    Attributes:
        attempt: Number of the attempt that is awaited or made; 0 for the very first.
        wait_s: Seconds until it; 0 while it is being made.
        refused: What the server answered instead of a connection; empty otherwise.
    """

    status: Status = Status.RECONNECTING
    attempt: int = 0
    wait_s: int = 0
    refused: str = ""

    @property
    def connected(self) -> bool:
        """Whether something can be sent."""
        return self.status is Status.CONNECTED

    def after(self, event: Event) -> "Link":
        """Return how it stands after *event*."""
        match event:
            case Opened():
                return Link(Status.CONNECTED)
            case Waiting():
                return Link(Status.RECONNECTING, event.attempt, event.delay_s, self.refused)
            case GaveUp():
                return replace(self, status=Status.DISCONNECTED, wait_s=0)
            case Lost():
                refused = event.reason if event.reason.startswith(("HTTP ", "LOGIN ")) else ""
                return replace(self, status=Status.RECONNECTING, refused=refused)
            case Received():
                return self
            case _:
                assert_never(event)

    def a_second_later(self) -> "Link":
        """Return how it stands after a second in which nothing happened."""
        return replace(self, wait_s=max(0, self.wait_s - 1))

    def spoken(self, words: Words) -> str:
        """Return it in words."""
        if self.status is Status.DISCONNECTED:
            return words("state.refused" if self.refused in _FINAL else "state.disconnected")
        if self.status is Status.CONNECTED:
            return words("state.connected")
        if not self.attempt:
            return words("state.connecting")
        code = "state.reconnecting" if self.wait_s else "state.retrying"
        return words(code, delay_s=self.wait_s, attempt=self.attempt, attempts=MAX_ATTEMPTS)
