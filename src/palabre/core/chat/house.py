"""What the rooms are made of, and how the parts hang together."""

from asyncio import TaskGroup
from collections.abc import Callable
from dataclasses import dataclass, field

from palabre.core.auth.ports import AccountStore
from palabre.core.chat.briefing import Briefer
from palabre.core.chat.chronicle import Chronicle
from palabre.core.chat.conversation import Conversation
from palabre.core.chat.file_desk import FileDesk
from palabre.core.chat.hub import RoomHub
from palabre.core.chat.jobs import Jobs
from palabre.core.chat.ports import MessageStore
from palabre.core.chat.reading_aloud import ReadingAloud
from palabre.core.chat.recent_replies import RecentReplies
from palabre.core.chat.reply import ReplyService
from palabre.core.chat.reserved_nicks import ReservedNicks
from palabre.core.chat.rooms import FIRST_CHANNEL, Rooms
from palabre.core.chat.studio import MediaPorts, Studio
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
from palabre.core.tools.model import ToolPorts
from palabre.core.tools.toolbox import Toolbox, ToolSet
from palabre.core.web.ports import WebSearch
from palabre.kernel.clock import Clock
from palabre.kernel.ids import ChannelName, Ids
from palabre.kernel.text import Text


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
        accounts: Whose usernames nobody else is called by; None where there are none.
        speaker: Says answers aloud; None where nothing is to be heard.
        tools: What personas may use besides words.
        media: Who makes pictures and music, and where they are kept.
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
    accounts: AccountStore | None = None
    speaker: Speaker | None = None
    tools: ToolSet = field(default_factory=ToolSet)


@dataclass(frozen=True, slots=True)
class House:
    """The parts of the rooms, each built once."""

    rooms: Rooms
    recent_replies: RecentReplies
    studio: Studio
    memory: MemoryKeeper
    reading_aloud: ReadingAloud
    turn_desk: TurnDesk
    conversation: Conversation
    jobs: Jobs
    file_desk: FileDesk

    async def aclose(self) -> None:
        """Break off all that is under way: the program ends."""
        await self.jobs.aclose()
        await self.turn_desk.aclose()
        await self.memory.aclose()
        await self.reading_aloud.aclose()


def build_house(ports: Ports, rules: Rules, cast: Cast, tasks: TaskGroup) -> House:
    """Return the rooms of *cast*; turns, lessons and jobs run in *tasks*."""
    hub = RoomHub(ports.telemetry)
    chronicle = Chronicle(ports.store, hub, ports.telemetry)
    rooms = _rooms(ports, rules, cast, hub, chronicle)
    recent = RecentReplies()
    studio = Studio(ports.media, publish=hub.publish, clock=ports.clock, ids=ports.ids)
    memory = _memory(ports, rules, tasks)
    narrator = Narrator(ports.speaker, tasks, ports.telemetry) if ports.speaker else None
    reading_aloud = ReadingAloud(hub, narrator)
    replies = _replies(
        ports,
        rules,
        hub=hub,
        chronicle=chronicle,
        studio=studio,
        reading_aloud=reading_aloud,
        recent=recent,
    )
    turn_desk = TurnDesk(
        tasks=tasks,
        replies=replies,
        reading_aloud=reading_aloud,
        cast=lambda: rooms.cast,
        telemetry=ports.telemetry,
        chain_depth=rules.chain_depth,
        chain_delay_s=rules.chain_delay_s,
        memory=memory,
    )
    conversation = Conversation(
        rooms=rooms, chronicle=chronicle, turn_desk=turn_desk, clock=ports.clock
    )
    jobs = Jobs(tasks, rooms.tell, ports.ids)
    return House(
        rooms=rooms,
        recent_replies=recent,
        studio=studio,
        memory=memory,
        reading_aloud=reading_aloud,
        turn_desk=turn_desk,
        conversation=conversation,
        jobs=jobs,
        file_desk=_file_desk(ports, jobs, chronicle, conversation, rooms),
    )


def _file_desk(
    ports: Ports, jobs: Jobs, chronicle: Chronicle, conversation: Conversation, rooms: Rooms
) -> FileDesk:
    return FileDesk(
        typer=ports.typer,
        analyst=ports.analyst,
        jobs=jobs,
        chronicle=chronicle,
        conversation=conversation,
        rooms=rooms,
        clock=ports.clock,
        in_house_words=ports.in_house_words,
    )


def _rooms(ports: Ports, rules: Rules, cast: Cast, hub: RoomHub, chronicle: Chronicle) -> Rooms:
    return Rooms(
        hub=hub,
        chronicle=chronicle,
        library=ports.library,
        reserved=ReservedNicks(ports.accounts, ports.clock),
        clock=ports.clock,
        cast=cast,
        max_responders=rules.max_responders,
        history_messages=rules.history_messages,
    )


def _memory(ports: Ports, rules: Rules, tasks: TaskGroup) -> MemoryKeeper:
    return MemoryKeeper(
        tasks=tasks,
        store=ports.memories,
        models=ports.models,
        policy=rules.memory,
        telemetry=ports.telemetry,
        clock=ports.clock,
        ids=ports.ids,
    )


def _replies(
    ports: Ports,
    rules: Rules,
    *,
    hub: RoomHub,
    chronicle: Chronicle,
    studio: Studio,
    reading_aloud: ReadingAloud,
    recent: RecentReplies,
) -> ReplyService:
    return ReplyService(
        briefer=Briefer(
            store=ports.store,
            memories=ports.memories,
            knowledge=ports.knowledge,
            context_chars=rules.context_chars,
        ),
        chronicle=chronicle,
        hub=hub,
        models=ports.models,
        clock=ports.clock,
        ids=ports.ids,
        reading_aloud=reading_aloud,
        toolbox=_toolbox(ports, studio),
        recent=recent,
        telemetry=ports.telemetry,
    )


def _toolbox(ports: Ports, studio: Studio) -> Toolbox:
    tool_ports = ToolPorts(
        search=ports.search,
        passages=ports.knowledge,
        show_picture=studio.show_picture if studio.makes_pictures else None,
    )
    return Toolbox(ports.tools, tool_ports, ports.in_house_words)
