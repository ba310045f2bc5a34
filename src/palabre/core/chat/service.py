"""Rooms as their users know them: come in, say something, use a command, leave."""

from asyncio import Task, TaskGroup
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from palabre.core.chat.asking import Asker
from palabre.core.chat.briefing import Briefer
from palabre.core.chat.chronicle import Chronicle
from palabre.core.chat.commands import Call, Command
from palabre.core.chat.file_desk import FileDesk
from palabre.core.chat.generation import MediaPorts, Studio
from palabre.core.chat.hub import RoomHub
from palabre.core.chat.jobs import Jobs
from palabre.core.chat.members import Member
from palabre.core.chat.model import HUMAN_COLOR, Event, MessagePosted, NoticeGiven, Utterance
from palabre.core.chat.ports import MessageStore, Sink
from palabre.core.chat.reply import ReplyService
from palabre.core.chat.rooms import FIRST_CHANNEL, Rooms
from palabre.core.chat.turn_desk import TurnDesk
from palabre.core.knowledge.ports import PassageFinder
from palabre.core.media.analyst import FileAnalyst
from palabre.core.media.ports import FileTyper
from palabre.core.memory.keeper import MemoryKeeper
from palabre.core.memory.model import MemoryPolicy
from palabre.core.memory.ports import MemoryStore
from palabre.core.models.registry import ModelRegistry
from palabre.core.personas.model import Cast
from palabre.core.personas.ports import PersonaLibrary
from palabre.core.speech.narrator import Narrator
from palabre.core.speech.ports import Speaker
from palabre.core.telemetry.ports import Machine, Telemetry
from palabre.core.tools.model import Services, no_documents
from palabre.core.tools.toolbox import Toolbox, ToolSet
from palabre.core.web.ports import WebSearch
from palabre.kernel.clock import Clock, whole_ms
from palabre.kernel.errors import PalabreError
from palabre.kernel.ids import ChannelName, Ids
from palabre.kernel.text import Text, text


@dataclass(frozen=True, slots=True)
class Rules:
    """What the owner of the rooms has decided.

    Attributes:
        default_channel: Where everybody comes in.
        max_responders: Personas who answer one message; `/responders` changes it.
        history_messages: Utterances that a newcomer is shown.
        context_chars: Characters of the channel that a persona is shown.
        chain_depth: How many personas may call on one another in turn.
        chain_delay_s: Pause before a persona answers another.
        memory: When personas learn, and how much they keep.
    """

    default_channel: ChannelName = FIRST_CHANNEL
    max_responders: int = 2
    history_messages: int = 20
    context_chars: int = 4000
    chain_depth: int = 3
    chain_delay_s: float = 0.5
    memory: MemoryPolicy = MemoryPolicy(enabled=False)  # noqa: RUF009  (frozen)


@dataclass(frozen=True, slots=True)
class Ports:
    """What the rooms stand on.

    Attributes:
        typer: Tells what shared files are.
        search: Searches the web; None where nobody does.
        analyst: Finds out what is in them.
        in_house_words: Says a text in the language of the house, for what is kept.
        speaker: Says answers aloud; None where nothing is to be heard.
        tools: What personas may use besides words.
        media: Who makes pictures and music, and where they are kept.
        count_documents: How many documents `knowledge` finds passages in.
    """

    store: MessageStore
    models: ModelRegistry
    library: PersonaLibrary
    memories: MemoryStore
    knowledge: PassageFinder
    search: WebSearch | None
    typer: FileTyper
    analyst: FileAnalyst
    media: MediaPorts
    in_house_words: Callable[[Text], str]
    machine: Machine
    telemetry: Telemetry
    clock: Clock
    ids: Ids
    speaker: Speaker | None = None
    tools: ToolSet = field(default_factory=ToolSet)
    count_documents: Callable[[], Awaitable[int]] = no_documents


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
        hub = RoomHub(ports.telemetry)
        self._studio = Studio(ports.media, publish=hub.publish, clock=ports.clock, ids=ports.ids)
        self._chronicle = Chronicle(ports.store, hub, ports.telemetry)
        self._rooms = Rooms(
            hub=hub,
            chronicle=self._chronicle,
            library=ports.library,
            clock=ports.clock,
            cast=cast,
            max_responders=rules.max_responders,
            history_messages=rules.history_messages,
        )
        self._replies = ReplyService(
            briefer=Briefer(
                store=ports.store,
                memories=ports.memories,
                knowledge=ports.knowledge,
                context_chars=rules.context_chars,
            ),
            chronicle=self._chronicle,
            hub=hub,
            models=ports.models,
            clock=ports.clock,
            ids=ports.ids,
            narrator=Narrator(ports.speaker, tasks, ports.telemetry) if ports.speaker else None,
            toolbox=_toolbox(ports, self._studio),
        )
        self._memory = MemoryKeeper(
            tasks=tasks,
            store=ports.memories,
            models=ports.models,
            policy=rules.memory,
            telemetry=ports.telemetry,
            clock=ports.clock,
            ids=ports.ids,
        )
        self._desk = TurnDesk(
            tasks=tasks,
            replies=self._replies,
            cast=lambda: self._rooms.cast,
            telemetry=ports.telemetry,
            chain_depth=rules.chain_depth,
            chain_delay_s=rules.chain_delay_s,
            memory=self._memory,
        )
        self._asker = Asker(self._rooms, self._desk)
        self._jobs = Jobs(tasks)
        self._files = FileDesk(
            typer=ports.typer,
            analyst=ports.analyst,
            jobs=self._jobs,
            chronicle=self._chronicle,
            asker=self._asker,
            room=self,
            clock=ports.clock,
            ids=ports.ids,
            in_house_words=ports.in_house_words,
        )

    @property
    def cast(self) -> Cast:
        """All personas."""
        return self._rooms.cast

    @property
    def people(self) -> int:
        """How many people are connected."""
        return self._rooms.people

    async def enter(self, sink: Sink, wished: str | None) -> Member:
        """Let somebody in, by the nick they wish for if it is free; see `Rooms.enter`."""
        return await self._rooms.enter(sink, wished, self._rules.default_channel)

    async def post(self, member: Member, words: str) -> list[Task[None]]:
        """Say *words* in the member's channel; return the turns that this starts.

        Raises:
            StorageError: It could not be kept, and so was told to nobody.
        """
        channel, nick = member.channel, member.nick
        said = Utterance(whole_ms(self._ports.clock.now()), channel, nick, words)
        await self._chronicle.say(said, MessagePosted(nick, words, HUMAN_COLOR))
        self._desk.person_spoke(channel)
        return self._asker.ask(member, words, cause=said)

    @property
    def files(self) -> FileDesk:
        """Where people hand in files."""
        return self._files

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
        self._rooms.leave(member)

    def tell(self, member: Member, *events: Event) -> None:
        """Tell *member* alone."""
        self._rooms.tell(member, *events)

    async def aclose(self) -> None:
        """Break off all turns: the program ends."""
        await self._jobs.aclose()
        await self._desk.aclose()
        await self._memory.aclose()
        await self._replies.aclose()

    def _command(self, name: str) -> Command | None:
        slash, bare = name[:1], name[1:].casefold()
        return self.commands.get(bare) if slash == "/" else None

    def _call(self, member: Member, rest: str) -> Call:
        ports = self._ports
        return Call(
            member=member,
            rest=rest,
            rooms=self._rooms,
            asker=self._asker,
            jobs=self._jobs,
            studio=self._studio,
            desk=self._desk,
            store=ports.store,
            models=ports.models,
            memories=ports.memories,
            search=ports.search,
            machine=ports.machine,
            clock=ports.clock,
            commands=self.commands,
        )


def _toolbox(ports: Ports, studio: Studio) -> Toolbox:
    services = Services(
        search=ports.search,
        passages=ports.knowledge,
        count_documents=ports.count_documents,
        show_picture=studio.show_picture if studio.makes_pictures else None,
    )
    return Toolbox(ports.tools, services, ports.in_house_words)
