"""What a slash command is, and what it may use."""

from asyncio import Task
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from palabre.core.auth.model import Permission
from palabre.core.chat.conversation import Conversation
from palabre.core.chat.jobs import Jobs
from palabre.core.chat.members import Member
from palabre.core.chat.model import Event, NoticeGiven
from palabre.core.chat.ports import MessageStore
from palabre.core.chat.rooms import Rooms
from palabre.core.chat.studio import Studio
from palabre.core.chat.turn_desk import TurnDesk
from palabre.core.memory.ports import MemoryStore
from palabre.core.models.registry import ModelRegistry
from palabre.core.telemetry.ports import Machine
from palabre.core.web.ports import WebSearch
from palabre.kernel.clock import Clock
from palabre.kernel.ids import ChannelName
from palabre.kernel.text import Text, text


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
    conversation: Conversation
    jobs: Jobs
    studio: Studio
    turn_desk: TurnDesk
    store: MessageStore
    models: ModelRegistry
    memories: MemoryStore
    search: WebSearch | None
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
        """Tell the caller alone, unless they left meanwhile."""
        self.rooms.tell(self.member, *events)

    def answer(self, code: str, **data: "str | int | float | Text | tuple[Text, ...]") -> None:
        """Say the text *code* to the caller alone."""
        self.tell(NoticeGiven(text(code, **data)))

    def announce(self, code: str, **data: "str | int | float | Text | tuple[Text, ...]") -> None:
        """Say the text *code* to the whole channel."""
        self.rooms.publish(self.channel, NoticeGiven(text(code, **data)))


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command.

    Attributes:
        name: Without the slash; also the name of its file.
        run: Does it. Returns the turns that the caller's next command waits for, if any.
        usage: Its arguments as `/help` shows them, such as `<pseudo>`; None without any.
        rank: Place in `/help`; equal ranks go by name. Those of the seed come first.
        permission: What it takes where people are known by their sessions.
        urgent: Done as soon as it is read, before what the same connection sent earlier.
        summary: What `/help` says about it; None stands for the text `command.<name>`.
    """

    name: str
    run: "Callable[[Call], Awaitable[list[Task[None]] | None]]"
    usage: Text | None = None
    rank: int = 100
    permission: Permission = Permission.CHAT_WRITE
    urgent: bool = False
    summary: Text | None = None

    @property
    def form(self) -> Text:
        """How to write it, such as `/nick <pseudo>`."""
        code = "command_form.bare" if self.usage is None else "command_form.full"
        return text(code, name=self.name, usage=self.usage or "")

    @property
    def about(self) -> Text:
        """What `/help` says about it."""
        return self.summary or text(f"command.{self.name}")


def ranked(commands: Mapping[str, Command]) -> list[Command]:
    """Return *commands* in the order in which people are shown them."""
    return sorted(commands.values(), key=lambda command: (command.rank, command.name))
