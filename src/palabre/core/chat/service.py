"""Rooms as their users know them: come in, say something, use a command, leave."""

from asyncio import Task, TaskGroup
from collections.abc import Mapping

from palabre.core.auth.model import Permission
from palabre.core.chat.commands import Call, Command
from palabre.core.chat.file_desk import FileDesk
from palabre.core.chat.house import Ports, Rules, build_house
from palabre.core.chat.members import Member
from palabre.core.chat.model import Event, NoticeGiven
from palabre.core.chat.ports import Sink
from palabre.core.chat.recent_replies import RecentReplies
from palabre.core.chat.visitors import Visitor
from palabre.core.personas.model import Cast
from palabre.kernel.errors import PalabreError
from palabre.kernel.text import text


class ChatService:
    """The entrance to the rooms. One instance serves every surface of the program."""

    def __init__(
        self,
        ports: Ports,
        *,
        tasks: TaskGroup,
        cast: Cast,
        commands: Mapping[str, Command],
        rules: Rules,
    ) -> None:
        self.commands = commands
        self._ports = ports
        self._rules = rules
        self._house = build_house(ports, rules, cast, tasks)

    @property
    def cast(self) -> Cast:
        """All personas."""
        return self._house.rooms.cast

    @property
    def people(self) -> int:
        """How many people are connected."""
        return self._house.rooms.people

    async def enter(self, sink: Sink, visitor: Visitor) -> Member:
        """Let *visitor* in; see `Rooms.enter`."""
        return await self._house.rooms.enter(sink, visitor, self._rules.default_channel)

    async def post(self, member: Member, words: str) -> list[Task[None]]:
        """Say *words* where *member* is; return the turns that this starts.

        Raises:
            ReadOnlyError: *member* may only read.
            StorageError: It could not be kept, and so was told to nobody.
        """
        member.demand(Permission.CHAT_WRITE)
        return await self._house.conversation.post(member, words)

    async def reload_cast(self) -> Cast:
        """Read the personas again and tell all channels; see `Rooms.reload_cast`."""
        return await self._house.rooms.reload_cast()

    @property
    def recent_replies(self) -> RecentReplies:
        """The newest answers."""
        return self._house.recent_replies

    @property
    def is_busy(self) -> bool:
        """Say whether anybody waits for an answer."""
        return self._house.turn_desk.is_busy

    @property
    def files(self) -> FileDesk:
        """Where people hand in files."""
        return self._house.file_desk

    async def run_command(self, member: Member, line: str) -> list[Task[None]]:
        """Do the slash command *line*; return the turns that this starts."""
        words = line.split(maxsplit=1)
        name = words[0] if words else ""
        command = self._command(name)
        if command is None:
            self.tell(member, NoticeGiven(text("command.unknown", command=name)))
            return []
        rest = words[1].strip() if len(words) > 1 else ""
        try:
            member.demand(command.permission)
            return await command.run(self._call(member, rest)) or []
        except PalabreError as error:
            self.tell(member, NoticeGiven(error.text))
            return []

    def is_urgent(self, line: str) -> bool:
        """Say whether *line* is a command that waits for nothing, such as `/stop`."""
        words = line.split(maxsplit=1)
        command = self._command(words[0]) if words else None
        return command is not None and command.urgent

    def leave(self, member: Member) -> None:
        """Let *member* go and tell its channel. Turns it started go on."""
        self._house.rooms.leave(member)

    def tell(self, member: Member, *events: Event) -> None:
        """Tell *member* alone."""
        self._house.rooms.tell(member, *events)

    async def aclose(self) -> None:
        """Break off all turns: the program ends."""
        await self._house.aclose()

    def _command(self, name: str) -> Command | None:
        slash, bare = name[:1], name[1:].casefold()
        return self.commands.get(bare) if slash == "/" else None

    def _call(self, member: Member, rest: str) -> Call:
        ports, house = self._ports, self._house
        return Call(
            member=member,
            rest=rest,
            rooms=house.rooms,
            conversation=house.conversation,
            jobs=house.jobs,
            studio=house.studio,
            turn_desk=house.turn_desk,
            store=ports.store,
            models=ports.models,
            memories=ports.memories,
            search=ports.search,
            machine=ports.machine,
            clock=ports.clock,
            commands=self.commands,
        )
