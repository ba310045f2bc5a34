"""Who is where, who may answer, and how both are told."""

import asyncio

import pytest

from palabre.core.auth.model import Account, Role
from palabre.core.auth.ports import AccountStore
from palabre.core.chat.chronicle import Chronicle
from palabre.core.chat.errors import NameInUseError, NameOfPersonaError
from palabre.core.chat.hub import RoomHub
from palabre.core.chat.members import Member
from palabre.core.chat.model import ChannelEntered, NoticeGiven, RosterListed
from palabre.core.chat.reserved_nicks import ReservedNicks
from palabre.core.chat.rooms import FIRST_CHANNEL, Rooms
from palabre.core.chat.roster import QUIET_S
from palabre.core.chat.visitors import Visitor
from palabre.core.personas.model import Cast
from palabre.kernel.ids import ChannelName, Nick
from palabre.kernel.text import text
from palabre.testing.auth import MemoryAccountStore
from palabre.testing.clock import FrozenClock
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.personas import StaticPersonaLibrary, a_persona
from palabre.testing.sinks import RecordingSink
from palabre.testing.telemetry import RecordingTelemetry

BATTY = a_persona("Batty")


def some_rooms(
    library: StaticPersonaLibrary | None = None, accounts: AccountStore | None = None
) -> Rooms:
    telemetry = RecordingTelemetry()
    hub = RoomHub(telemetry)
    return Rooms(
        hub=hub,
        chronicle=Chronicle(MemoryMessageStore(), hub, telemetry),
        library=library or StaticPersonaLibrary(BATTY),
        reserved=ReservedNicks(accounts, FrozenClock()),
        clock=FrozenClock(),
        cast=Cast((BATTY,)),
        max_responders=2,
        history_messages=20,
    )


async def come(
    rooms: Rooms, nick: str | Visitor, channel: ChannelName = FIRST_CHANNEL
) -> tuple[Member, RecordingSink]:
    sink = RecordingSink()
    member = await rooms.enter(sink, Visitor(nick) if isinstance(nick, str) else nick, channel)
    await asyncio.sleep(0)
    return member, sink


async def test_people_come_before_personas_in_the_order_of_their_coming() -> None:
    rooms = some_rooms()
    await come(rooms, "zoe")
    await come(rooms, "ana")
    assert rooms.roster(FIRST_CHANNEL) == ("zoe", "ana", "Batty")
    assert rooms.people == 2


async def test_a_nick_is_taken_by_people_and_personas_but_not_by_oneself() -> None:
    rooms = some_rooms()
    ana, _ = await come(rooms, "ana")
    bob, _ = await come(rooms, "bob")
    assert rooms.is_taken(Nick("ANA"), except_for=bob)
    assert rooms.is_taken(Nick("batty"), except_for=bob)
    assert not rooms.is_taken(Nick("Ana"), except_for=ana)


async def test_a_new_name_is_told_to_the_channel_and_frees_the_old_one() -> None:
    rooms = some_rooms()
    ana, sink = await come(rooms, "ana")
    sink.take()
    rooms.rename(ana, Nick("Anna"))
    await asyncio.sleep(0)
    told = [each.text.code for each in sink.events if isinstance(each, NoticeGiven)]
    assert told == ["nick.changed"]
    assert (await come(rooms, "ana"))[0].nick == "ana"


async def test_a_person_makes_way_for_a_new_persona_of_the_same_name() -> None:
    rooms = some_rooms(StaticPersonaLibrary(BATTY, a_persona("Ana"), a_persona("user_1")))
    ana, sink = await come(rooms, "ana")
    zoe, _ = await come(rooms, "zoe", ChannelName("#a"))
    sink.take()
    await rooms.reload_cast()
    await asyncio.sleep(QUIET_S * 1.5)
    assert (ana.nick, zoe.nick) == ("user_2", "zoe")
    told = [each.text for each in sink.events if isinstance(each, NoticeGiven)]
    assert told == [text("nick.changed", old="ana", new="user_2")]
    lists = [each.nicks for each in sink.events if isinstance(each, RosterListed)]
    assert lists[-1] == ("user_2", "Batty", "Ana", "user_1")
    assert rooms.is_taken(Nick("ana"), except_for=ana)


async def test_only_who_comes_in_elsewhere_is_told_where_it_is() -> None:
    rooms = some_rooms()
    _, usual = await come(rooms, "ana")
    _, elsewhere = await come(rooms, "bob", ChannelName("#accueil"))
    assert not [each for each in usual.events if isinstance(each, ChannelEntered)]
    assert elsewhere.events[-1] == ChannelEntered(ChannelName("#accueil"))
    assert any(isinstance(each, RosterListed) for each in elsewhere.events)


async def test_channels_are_counted_fullest_first_while_somebody_is_there() -> None:
    rooms = some_rooms()
    ana, _ = await come(rooms, "ana")
    await come(rooms, "bob")
    await rooms.move(ana, ChannelName("#a"))
    await come(rooms, "zoe")
    assert rooms.channel_counts() == [(FIRST_CHANNEL, 2), (ChannelName("#a"), 1)]
    rooms.leave(ana)
    assert rooms.channel_counts() == [(FIRST_CHANNEL, 2)]


def known(username: str, role: Role = Role.EDITOR) -> Visitor:
    return Visitor(None, username, role)


async def test_who_is_known_is_called_by_the_username_even_a_long_one() -> None:
    rooms = some_rooms()
    long = "a" * 40
    member, _ = await come(rooms, known(long))
    assert member.nick == long
    assert rooms.roster(FIRST_CHANNEL) == (long, "Batty")


async def test_two_connections_of_one_person_are_one_in_the_room() -> None:
    rooms = some_rooms()
    _, other = await come(rooms, "bob")
    first, _ = await come(rooms, known("Lea"))
    other.take()
    second, sink = await come(rooms, known("LEA"))
    assert second.nick == first.nick
    assert rooms.roster(FIRST_CHANNEL) == ("bob", "Lea", "Batty")
    rooms.leave(first)
    await asyncio.sleep(0)
    told = [type(event).__name__ for event in other.take()]
    assert "MemberJoined" not in told
    assert "MemberParted" not in told
    rooms.tell(second, NoticeGiven(text("room.too_fast")))
    assert isinstance(sink.take()[-1], NoticeGiven)
    rooms.leave(second)
    await asyncio.sleep(0)
    assert [type(event).__name__ for event in other.take()].count("MemberParted") == 1


async def test_one_of_two_connections_that_moves_is_told_to_nobody_who_sees_the_other() -> None:
    rooms, there = some_rooms(), ChannelName("#there")
    first, _ = await come(rooms, known("Lea"))
    await come(rooms, known("Lea"))
    _, here = await come(rooms, "bob")
    await rooms.move(first, there)
    await asyncio.sleep(0)
    assert "MemberParted" not in [type(event).__name__ for event in here.take()]
    assert rooms.roster(there) == ("Lea", "Batty")
    assert rooms.roster(FIRST_CHANNEL) == ("Lea", "bob", "Batty")


@pytest.mark.parametrize("username", ["Batty", "BATTY"])
async def test_a_username_that_is_a_personas_name_is_refused(username: str) -> None:
    rooms = some_rooms()
    with pytest.raises(NameOfPersonaError):
        await come(rooms, known(username))
    assert rooms.people == 0


async def test_a_username_that_looks_like_somebody_elses_is_refused() -> None:
    rooms = some_rooms()
    await come(rooms, known("Isa"))
    with pytest.raises(NameInUseError):
        await come(rooms, known("lsa"))
    assert rooms.people == 1


async def test_in_open_rooms_the_nick_of_an_account_is_its_holders() -> None:
    accounts = MemoryAccountStore(Account("Isa", Role.VIEWER, "", FrozenClock().now()))
    rooms = some_rooms(accounts=accounts)
    stranger, _ = await come(rooms, "lsa")
    assert stranger.nick.startswith("user_")
    assert await rooms.is_reserved(Nick("Isa"), stranger.visitor)
    isa, _ = await come(rooms, Visitor("isa", "Isa"))
    assert isa.nick == "isa"
    assert not await rooms.is_reserved(Nick("Isa"), isa.visitor)
