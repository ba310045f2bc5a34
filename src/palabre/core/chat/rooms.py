"""Who is where, who may answer, and how both are told: what lies behind entrance and commands."""

import asyncio
from collections.abc import Sequence

from palabre.core.chat.chronicle import Chronicle
from palabre.core.chat.errors import NameInUseError, NameOfPersonaError
from palabre.core.chat.history import replayed
from palabre.core.chat.hub import RoomHub
from palabre.core.chat.members import Member, Members
from palabre.core.chat.model import (
    ChannelEntered,
    Event,
    MemberJoined,
    MemberParted,
    NoticeGiven,
    PersonaIntroduced,
    RosterListed,
)
from palabre.core.chat.ports import Sink
from palabre.core.chat.reserved_nicks import ReservedNicks
from palabre.core.chat.roster import RosterAnnouncer
from palabre.core.chat.visitors import Visitor
from palabre.core.personas.model import Cast
from palabre.core.personas.nicks import wished_nick
from palabre.core.personas.ports import PersonaLibrary
from palabre.kernel.clock import Clock
from palabre.kernel.ids import ChannelName, Nick
from palabre.kernel.lookalikes import nick_keys
from palabre.kernel.text import text

FIRST_CHANNEL = ChannelName("#general")
"""Where a client of the seed takes itself to be when it comes in (seed 000 §5.1)."""


class Rooms:
    """All channels, with the people and personas in them.

    Attributes:
        cast: All personas.
        max_responders: Personas who answer one message at the most.
    """

    def __init__(
        self,
        *,
        hub: RoomHub,
        chronicle: Chronicle,
        library: PersonaLibrary,
        reserved: ReservedNicks,
        clock: Clock,
        cast: Cast,
        max_responders: int,
        history_messages: int,
    ) -> None:
        self.cast = cast
        self.max_responders = max_responders
        self._hub = hub
        self._chronicle = chronicle
        self._library = library
        self._clock = clock
        self._reserved = reserved
        self._history_messages = history_messages
        self._persona_keys = _keys(cast)
        self._members = Members()
        self._announcer = RosterAnnouncer(hub, self.roster)
        self._reloading = asyncio.Lock()

    @property
    def people(self) -> int:
        """How many people are connected."""
        return len(self._members)

    def channel_counts(self) -> list[tuple[ChannelName, int]]:
        """Return the channels with people in them and how many, fullest first."""
        return self._members.counts()

    def roster(self, channel: ChannelName) -> tuple[Nick, ...]:
        """Return who is in *channel*: people, then personas."""
        return self._members.nicks(channel) + tuple(persona.nick for persona in self.cast.personas)

    def is_taken(self, nick: Nick, *, except_for: Member) -> bool:
        """Say whether somebody else has *nick*, or one that looks the same."""
        others = self._members.holders(nick) - {except_for}
        return bool(others or nick_keys(nick) & self._persona_keys)

    async def is_reserved(self, nick: Nick, visitor: Visitor) -> bool:
        """Say whether *nick* belongs to the account of somebody else."""
        return await self._reserved.is_reserved(nick, visitor.username)

    def tell(self, member: Member, *events: Event) -> None:
        """Tell *member* alone, unless it has left."""
        if member in self._members.of(member.channel):
            self._hub.tell(member.channel, member.sink, *events)

    def publish(self, channel: ChannelName, event: Event) -> None:
        """Tell everybody in *channel*."""
        self._hub.publish(channel, event)

    async def enter(self, sink: Sink, visitor: Visitor, channel: ChannelName) -> Member:
        """Let *visitor* into *channel*, by the nick they wish for if it is free (seed 000 §5.2).

        Who is known by a session is called by its username, on each of their connections. The
        newcomer is told, in this order: the welcome, the personas, who is here, and what was said
        last; the others are told that somebody came, unless they were here already.

        Raises:
            NameOfPersonaError: Their username is the name of a persona.
            NameInUseError: Their username looks like that of an account, or of somebody here.
        """
        wished = await self._unreserved(visitor)
        said = await self._recent(channel)  # nothing is waited for from here on: no word is missed
        nick = self._own_nick(visitor, wished) if visitor.is_known else self._free_nick(wished)
        member = Member(nick, channel, sink, visitor)
        self._hub.tell(channel, sink, self._welcome(member.nick), *self._introductions())
        if nick not in self._members.nicks(channel):
            self._hub.publish(channel, MemberJoined(nick, channel))
        self._members.add(member)
        self._announcer.announce(channel)
        self._hub.listen(channel, sink)
        self.tell(member, RosterListed(self.roster(channel)), *said)
        if channel != FIRST_CHANNEL:
            self.tell(member, ChannelEntered(channel))
        return member

    def leave(self, member: Member) -> None:
        """Let *member* go and tell its channel."""
        channel = member.channel
        self._hub.forget(channel, member.sink)
        self._members.remove(member)
        self._part(member, channel)

    async def move(self, member: Member, channel: ChannelName) -> Sequence[Event]:
        """Take *member* to *channel* and tell both channels; return what was said there last."""
        said = await self._recent(channel)
        left = member.channel
        self._hub.leave(left, member.sink)
        is_here = left != channel and member.nick in self._members.nicks(channel)
        self._members.move(member, channel)
        self._part(member, left)
        if not is_here:
            self._hub.publish(channel, MemberJoined(member.nick, channel))
        self._hub.listen(channel, member.sink)
        self._announcer.announce(channel)
        self.tell(member, ChannelEntered(channel))
        return said

    def rename(self, member: Member, nick: Nick) -> None:
        """Give *member* the free *nick* and tell its channel."""
        self._rename(member, nick)
        self._announcer.announce(member.channel)

    async def reload_cast(self) -> Cast:
        """Read the personas again; introduce those who are new or changed colour.

        A person whose nick a persona now has becomes `user_<n>`.

        Raises:
            SetupError: No persona can be read; the personas stay as they were.
        """
        async with self._reloading:  # one that began earlier must not end later
            return await self._reload()

    async def _reload(self) -> Cast:
        known = set(self._introductions())
        self.cast = await self._library.load()
        self._persona_keys = _keys(self.cast)
        self._make_way()
        for channel in list(self._hub.channels()):
            for event in self._introductions():
                if event not in known:
                    self._hub.publish(channel, event)
            self._announcer.announce(channel)
        return self.cast

    def _part(self, member: Member, left: ChannelName) -> None:
        """Tell *left* that *member* is gone, unless another connection of theirs is there."""
        others = (each for each in self._members.of(left) if each is not member)
        if member.nick not in {each.nick for each in others}:
            self._hub.publish(left, MemberParted(member.nick, left))
        self._announcer.announce(left)

    async def _unreserved(self, visitor: Visitor) -> Nick | None:
        """Return what *visitor* would be called, unless it belongs to the account of another."""
        wished = Nick(visitor.username) if visitor.is_known else wished_nick(visitor.wished)
        if wished is None or await self.is_reserved(wished, visitor):
            return None
        return wished

    def _own_nick(self, visitor: Visitor, wished: Nick | None) -> Nick:
        if nick_keys(visitor.username) & self._persona_keys:
            raise NameOfPersonaError(username=visitor.username)
        holders = self._members.holders(Nick(visitor.username))
        are_others = not all(each.visitor.is_same_person(visitor) for each in holders)
        if wished is None or are_others:
            raise NameInUseError(username=visitor.username)
        return next((each.nick for each in holders), wished)

    def _free_nick(self, wished: Nick | None) -> Nick:
        if (
            wished is None
            or nick_keys(wished) & self._persona_keys
            or self._members.holders(wished)
        ):
            return self._guest_nick()
        return wished

    def _guest_nick(self) -> Nick:
        return self._members.guest_nick(persona.nick for persona in self.cast.personas)

    def _make_way(self) -> None:
        """Rename the people whose nicks belong to personas."""
        for member in list(self._members):
            if nick_keys(member.nick) & self._persona_keys:
                self._rename(member, self._guest_nick())

    def _rename(self, member: Member, nick: Nick) -> None:
        old = member.nick
        self._members.rename(member, nick)
        self.publish(member.channel, NoticeGiven(text("nick.changed", old=old, new=nick)))

    def _welcome(self, nick: Nick) -> NoticeGiven:
        names = ", ".join(persona.nick for persona in self.cast.personas)
        return NoticeGiven(text("room.welcome", personas=names, nick=nick))

    def _introductions(self) -> list[PersonaIntroduced]:
        return [PersonaIntroduced(each.nick, each.color) for each in self.cast.personas]

    async def _recent(self, channel: ChannelName) -> list[Event]:
        said = await self._chronicle.latest(channel, self._history_messages)
        return replayed(said, self.cast, self._clock.zone)


def _keys(cast: Cast) -> frozenset[str]:
    return frozenset(key for persona in cast.personas for key in nick_keys(persona.nick))
