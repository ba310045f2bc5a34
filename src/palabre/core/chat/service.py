"""Rooms as their users know them: come in, say something, use a command, leave."""

from asyncio import Task, TaskGroup
from collections.abc import Mapping
from dataclasses import dataclass

from palabre.core.chat.chronicle import Chronicle
from palabre.core.chat.commands import Call, Command
from palabre.core.chat.history import replayed
from palabre.core.chat.hub import RoomHub
from palabre.core.chat.members import Member, Members
from palabre.core.chat.model import (
    HUMAN_COLOR,
    ChannelEntered,
    Event,
    MemberJoined,
    MemberParted,
    MessagePosted,
    NoticeGiven,
    PersonaIntroduced,
    RosterListed,
    Utterance,
)
from palabre.core.chat.nicks import nick_keys, wished_nick
from palabre.core.chat.ports import MessageStore, Sink
from palabre.core.chat.reply import ReplyService
from palabre.core.chat.roster import RosterAnnouncer
from palabre.core.chat.turn_desk import PersonaBusyError, TurnDesk
from palabre.core.chat.turns import Turn, choose_responders
from palabre.core.memory.ports import MemoryStore
from palabre.core.models.registry import ModelRegistry
from palabre.core.personas.model import Cast
from palabre.core.personas.ports import PersonaLibrary
from palabre.core.telemetry.ports import Machine, Telemetry
from palabre.kernel.clock import Clock, whole_ms
from palabre.kernel.errors import PalabreError
from palabre.kernel.ids import ChannelName, Ids, Nick
from palabre.kernel.text import text

DEFAULT_CHANNEL = ChannelName("#general")


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
    """

    default_channel: ChannelName = DEFAULT_CHANNEL
    max_responders: int = 2
    history_messages: int = 20
    context_chars: int = 4000
    chain_depth: int = 3
    chain_delay_s: float = 0.5


@dataclass(frozen=True, slots=True)
class Outside:
    """The ports that the rooms stand on."""

    store: MessageStore
    models: ModelRegistry
    library: PersonaLibrary
    memories: MemoryStore
    machine: Machine
    telemetry: Telemetry
    clock: Clock
    ids: Ids


class ChatService:
    """The rooms. One instance serves every surface of the program."""

    def __init__(
        self,
        outside: Outside,
        *,
        tasks: TaskGroup,
        cast: Cast,
        commands: Mapping[str, Command],
        rules: Rules,
    ) -> None:
        self._outside = outside
        self._commands = commands
        self._rules = rules
        self._cast = cast
        self._persona_keys = _keys(cast)
        self.max_responders = rules.max_responders
        self._members = Members()
        self._hub = RoomHub(outside.telemetry)
        self._chronicle = Chronicle(outside.store, self._hub, outside.telemetry)
        self._announcer = RosterAnnouncer(self._hub, self.roster)
        self._desk = TurnDesk(
            tasks=tasks,
            replies=ReplyService(
                store=outside.store,
                chronicle=self._chronicle,
                hub=self._hub,
                models=outside.models,
                memories=outside.memories,
                clock=outside.clock,
                ids=outside.ids,
                context_chars=rules.context_chars,
            ),
            cast=lambda: self._cast,
            telemetry=outside.telemetry,
            chain_depth=rules.chain_depth,
            chain_delay_s=rules.chain_delay_s,
        )

    @property
    def cast(self) -> Cast:
        """All personas."""
        return self._cast

    @property
    def commands(self) -> Mapping[str, Command]:
        """All slash commands by name."""
        return self._commands

    @property
    def people(self) -> int:
        """How many people are connected."""
        return len(self._members)

    async def enter(self, sink: Sink, wished: str | None) -> Member:
        """Let somebody in, by the nick they wish for if it is free (seed 000 §5.2).

        The newcomer is told, in this order: the welcome, the personas, who is here, and what
        was said last; the others are told that somebody came.
        """
        channel = self._rules.default_channel
        said = await self._recent(channel)
        nick = self._free_nick(wished)
        member = Member(nick, channel, sink)
        self._hub.tell(channel, sink, self._welcome(nick), *self._introductions())
        self._hub.publish(channel, MemberJoined(nick, channel))
        self._members.add(member)
        self._announcer.announce(channel)
        self._hub.listen(channel, sink)
        history = replayed(said, self._cast, self._outside.clock.zone)
        self._hub.tell(channel, sink, RosterListed(self.roster(channel)), *history)
        return member

    async def post(self, member: Member, words: str) -> list[Task[None]]:
        """Say *words* in the member's channel; return the turns that this starts.

        Raises:
            StorageError: It could not be kept, and so was told to nobody.
        """
        channel, nick = member.channel, member.nick
        said = Utterance(whole_ms(self._outside.clock.now()), channel, nick, words)
        await self._chronicle.say(said, MessagePosted(nick, words, HUMAN_COLOR))
        self._desk.person_spoke(channel)
        return self._start_turns(member, said)

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
        channel = member.channel
        self._hub.leave(channel, member.sink)
        self._members.remove(member)
        self._hub.publish(channel, MemberParted(member.nick, channel))
        self._announcer.announce(channel)

    def tell(self, member: Member, *events: Event) -> None:
        """Tell *member* alone."""
        self._hub.tell(member.channel, member.sink, *events)

    async def aclose(self) -> None:
        """Break off all turns: the program ends."""
        await self._desk.aclose()

    # --- what commands use: see `commands.Rooms` ------------------------------------------

    def roster(self, channel: ChannelName) -> tuple[Nick, ...]:
        """Return who is in *channel*: people, then personas."""
        people = tuple(member.nick for member in self._members.of(channel))
        return people + tuple(persona.nick for persona in self._cast.personas)

    def announce_roster(self, channel: ChannelName) -> None:
        """Tell *channel* who is in it."""
        self._announcer.announce(channel)

    def is_taken(self, nick: Nick, *, except_for: Member) -> bool:
        """Say whether somebody else has *nick*, or one that looks the same."""
        others = self._members.holders(nick) - {except_for}
        return bool(others or nick_keys(nick) & self._persona_keys)

    async def move(self, member: Member, channel: ChannelName) -> list[Event]:
        """Take *member* to *channel* and tell both channels; return what was said there last."""
        said = await self._recent(channel)
        left = member.channel
        self._hub.leave(left, member.sink)
        self._members.move(member, channel)
        self._hub.publish(left, MemberParted(member.nick, left))
        self._announcer.announce(left)
        self._hub.publish(channel, MemberJoined(member.nick, channel))
        self._hub.listen(channel, member.sink)
        self._announcer.announce(channel)
        self.tell(member, ChannelEntered(channel))
        return replayed(said, self._cast, self._outside.clock.zone)

    async def reload_cast(self) -> Cast:
        """Read the personas again; introduce those who are new or changed colour.

        Raises:
            SetupError: A persona's file is wrong; the personas stay as they were.
        """
        known = {(persona.nick, persona.color) for persona in self._cast.personas}
        self._cast = await self._outside.library.load()
        self._persona_keys = _keys(self._cast)
        for channel in list(self._hub.channels()):
            for event in self._introductions():
                if (event.nick, event.color) not in known:
                    self._hub.publish(channel, event)
            self._announcer.announce(channel)
        return self._cast

    # --------------------------------------------------------------------------------------

    def _free_nick(self, wished: str | None) -> Nick:
        nick = wished_nick(wished)
        taken = nick is None or nick_keys(nick) & self._persona_keys or self._members.holders(nick)
        if nick is not None and not taken:
            return nick
        return self._members.guest_nick(persona.nick for persona in self._cast.personas)

    def _welcome(self, nick: Nick) -> NoticeGiven:
        names = ", ".join(persona.nick for persona in self._cast.personas)
        return NoticeGiven(text("room.welcome", personas=names, nick=nick))

    def _introductions(self) -> list[PersonaIntroduced]:
        return [PersonaIntroduced(each.nick, each.color) for each in self._cast.personas]

    async def _recent(self, channel: ChannelName) -> list[Utterance]:
        return await self._chronicle.latest(channel, self._rules.history_messages)

    def _start_turns(self, member: Member, said: Utterance) -> list[Task[None]]:
        started: list[Task[None]] = []
        for persona in choose_responders(said.text, self._cast, self.max_responders):
            turn = Turn(persona, said.channel, member, said.text, cause=said)
            try:
                started.append(self._desk.start(turn))
            except PersonaBusyError as error:
                self.tell(member, NoticeGiven(error.text))
        return started

    def _command(self, name: str) -> Command | None:
        slash, bare = name[:1], name[1:].casefold()
        return self._commands.get(bare) if slash == "/" else None

    def _call(self, member: Member, rest: str) -> Call:
        outside = self._outside
        return Call(
            member=member,
            rest=rest,
            rooms=self,
            members=self._members,
            hub=self._hub,
            desk=self._desk,
            store=outside.store,
            models=outside.models,
            memories=outside.memories,
            machine=outside.machine,
            clock=outside.clock,
            commands=self._commands,
        )


def _keys(cast: Cast) -> frozenset[str]:
    return frozenset(key for persona in cast.personas for key in nick_keys(persona.nick))
