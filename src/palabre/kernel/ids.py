"""Names of things, each its own type, and where new ones come from."""

from typing import NewType, Protocol

ChannelName = NewType("ChannelName", str)
"""A channel with its `#`, such as `#general`."""

Nick = NewType("Nick", str)
"""The name of a person or persona in a room, as displayed."""

PersonaId = NewType("PersonaId", str)
"""Lower-case name of a persona's file, such as `schaeffer`."""

ReplyId = NewType("ReplyId", str)
"""One answer of one persona."""


class Ids(Protocol):
    """A source of new identifiers."""

    def new(self, prefix: str) -> str:
        """Return `<prefix>_<milliseconds in base 36>_<8 hex digits>` (facts of seed 000, 3.1)."""
        ...
