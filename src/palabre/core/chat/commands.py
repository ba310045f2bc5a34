"""What a slash command is, and what it may use."""

from asyncio import Task
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from palabre.core.chat.hub import RoomHub
from palabre.core.chat.members import Member, Members
from palabre.core.chat.model import DisplayCleared, Event, NoticeGiven
from palabre.core.chat.ports import MessageStore
from palabre.core.chat.turn_desk import TurnDesk
from palabre.core.memory.ports import MemoryStore
from palabre.core.models.registry import ModelRegistry
from palabre.core.personas.model import Cast
from palabre.core.telemetry.ports import Machine
from palabre.kernel.clock import Clock
from palabre.kernel.ids import ChannelName, Nick
from palabre.kernel.text import Text, text


class Rooms(Protocol):
    """What the chat service does for a command."""

    max_responders: int

    @property
    def cast(self) -> Cast:
        """All personas."""
        ...

    def roster(self, channel: ChannelName) -> tuple[Nick, ...]:
        """Return who is in *channel*: people, then personas."""
        ...

    def announce_roster(self, channel: ChannelName) -> None:
        """Tell *channel* who is in it."""
        ...

    def is_taken(self, nick: Nick, *, except_for: Member) -> bool:
        """Say whether somebody else has *nick*, or one that looks the same."""
        ...

    async def move(self, member: Member, channel: ChannelName) -> list[Event]:
        """Take *member* to another channel and tell both; return what was said there last."""
        ...

    async def reload_cast(self) -> Cast:
        """Read the personas again and introduce those who changed."""
        ...


@dataclass(frozen=True, slots=True)
class Call:
    """One use of a slash command.

    Attributes:
        member: Who uses it.
        rest: What follows the name, trimmed; never the name itself.
        commands: All commands, for `/help`.
    """

    member: Member
    rest: str
    rooms: Rooms
    members: Members
    hub: RoomHub
    desk: TurnDesk
    store: MessageStore
    models: ModelRegistry
    memories: MemoryStore
    machine: Machine
    clock: Clock
    commands: "Mapping[str, Command]" = field(repr=False)

    @property
    def channel(self) -> ChannelName:
        """Where the caller is now."""
        return self.member.channel

    @property
    def first_word(self) -> str:
        """The first argument, or nothing."""
        return self.rest.split(maxsplit=1)[0] if self.rest else ""

    def tell(self, *events: Event) -> None:
        """Tell the caller alone."""
        self.hub.tell(self.channel, self.member.sink, *events)

    def answer(self, code: str, **data: "str | int | float | Text | tuple[Text, ...]") -> None:
        """Say the text *code* to the caller alone."""
        self.tell(NoticeGiven(text(code, **data)))

    def announce(self, code: str, **data: "str | int | float | Text | tuple[Text, ...]") -> None:
        """Say the text *code* to the whole channel."""
        self.hub.publish(self.channel, NoticeGiven(text(code, **data)))

    def clear_displays(self) -> None:
        """Empty the display of everybody in the channel."""
        self.hub.publish(self.channel, DisplayCleared())


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command.

    Attributes:
        name: Without the slash; also the name of its file.
        run: Does it. Returns the turns that the caller's next command waits for, if any.
        usage: Its arguments as `/help` shows them, such as `<pseudo>`.
        rank: Place in `/help`; equal ranks go by name. Those of the seed come first.
        urgent: Done as soon as it is read, before what the same connection sent earlier.
        summary: What `/help` says about it; None stands for the text `command.<name>`.
    """

    name: str
    run: "Callable[[Call], Awaitable[list[Task[None]] | None]]"
    usage: str = ""
    rank: int = 100
    urgent: bool = False
    summary: Text | None = None

    @property
    def about(self) -> Text:
        """What `/help` says about it."""
        return self.summary or text(f"command.{self.name}")
