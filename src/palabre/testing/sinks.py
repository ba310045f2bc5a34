"""A listener that keeps what it is told."""

from palabre.core.chat.model import Event, LargeEvent, SentenceSpoken
from palabre.core.chat.ports import Encoder, LargePayload


class EventLines:
    """An encoder that only notes which events it was given.

    Attributes:
        calls: The event of each call.
    """

    def __init__(self) -> None:
        self.calls: list[Event] = []

    def __call__(self, event: Event) -> bytes:
        """Return the number of this call."""
        self.calls.append(event)
        return f"{len(self.calls) - 1} ".encode()

    def large(self, event: LargeEvent) -> LargePayload:
        """Return the number of this call, in one piece."""
        number = self(event)
        return LargePayload(((number,),), len(number), isinstance(event, SentenceSpoken))


class RecordingSink:
    """Keeps what is written; sinks that share an encoder get the same bytes.

    Attributes:
        writes: The payload of each write.
        room: Writes that it still takes; None takes all.
        evicted: How often it was given up.
        closed: With which codes and reasons.
    """

    def __init__(self, lines: EventLines | None = None, room: int | None = None) -> None:
        self.lines = lines or EventLines()
        self.writes: list[bytes] = []
        self.room = room
        self.evicted = 0
        self.closed: list[tuple[int, str]] = []

    @property
    def encoder(self) -> Encoder:
        """What its events are written with."""
        return self.lines

    @property
    def events(self) -> list[Event]:
        """All events that it was told, in order."""
        return [
            self.lines.calls[int(number)] for payload in self.writes for number in payload.split()
        ]

    def close(self, code: int, reason: str) -> None:
        """Note that it was closed."""
        self.closed.append((code, reason))

    def write(self, payload: bytes, events: int) -> bool:
        """Keep *payload*, unless there is no room left."""
        if self.room is not None and len(self.writes) >= self.room:
            return False
        assert len(payload.split()) == events
        self.writes.append(payload)
        return True

    def write_large(self, payload: LargePayload) -> bool:
        """Keep *payload*, unless there is no room left."""
        return self.write(payload.whole, 1) or payload.can_miss

    def evict(self) -> None:
        """Note that the listener was given up."""
        self.evicted += 1

    def take(self) -> list[Event]:
        """Return the events so far and forget them."""
        events, self.writes = self.events, []
        return events
