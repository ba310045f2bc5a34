"""Changes as they are written down."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"
State: TypeAlias = Mapping[str, Json]
"""What is known of a thing; empty where there was none, or is none any more."""

FIRST_HASH = "0" * 64
"""What the first entry names as the hash of the one before it."""

LARGEST_NUMBER = 2**53 - 1
"""Of an entry: what JSON and both databases keep exactly."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who changes something.

    Attributes:
        name: A username, or `cli` for whoever sits at the machine.
        role: As a session has it.
        address: Where they came from; empty for the machine itself.
    """

    name: str
    role: str
    address: str = ""


THE_MACHINE = Actor("cli", "admin")
"""Who uses the command line: the machine's owner."""


@dataclass(slots=True)
class Change:
    """A change that is being made; what it was and became is filled in on the way.

    Attributes:
        action: What is done, such as `persona.update`.
        target: To what, by its id or name.
        before: What it was. No secret, and nothing that people said in a room.
        after: What it is by then.
    """

    actor: Actor
    action: str
    target: str
    before: State = field(default_factory=dict)
    after: State = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Entry:
    """A change that was made.

    Attributes:
        number: From 1, without a gap.
        at: In UTC, to the millisecond.
        before: As JSON text, as it was hashed.
        after: So too.
        previous_hash: `hash` of the entry before.
        hash: `chain.hash_of` this entry.
    """

    number: int
    at: datetime
    actor: Actor
    action: str
    target: str
    before: str
    after: str
    previous_hash: str
    hash: str


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """Which entries are wanted; an empty text wants all.

    Attributes:
        before_number: Only older ones than this; None starts at the newest.
    """

    action: str = ""
    actor: str = ""
    target: str = ""
    before_number: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the book is whole.

    Attributes:
        entries: How many were read.
        last_hash: Of the newest; who keeps it elsewhere sees whether the end was cut off.
        broken_at: The first number that is absent or was changed; None if all is well.
    """

    entries: int
    last_hash: str
    broken_at: int | None = None
