"""Who is where, who may answer, and how both are told."""

import asyncio

from palabre.core.chat.chronicle import Chronicle
from palabre.core.chat.hub import RoomHub
from palabre.core.chat.members import Member
from palabre.core.chat.model import ChannelEntered, NoticeGiven, RosterListed
from palabre.core.chat.rooms import FIRST_CHANNEL, Rooms
from palabre.core.chat.roster import QUIET_S
from palabre.core.personas.model import Cast
from palabre.kernel.ids import ChannelName, Nick
from palabre.kernel.text import text
from palabre.testing.clock import FrozenClock
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.personas import StaticPersonaLibrary, a_persona
from palabre.testing.sinks import RecordingSink
from palabre.testing.telemetry import RecordingTelemetry

BATTY = a_persona("Batty")


def some_rooms(library: StaticPersonaLibrary | None = None) -> Rooms:
    telemetry = RecordingTelemetry()
    hub = RoomHub(telemetry)
    return Rooms(
        hub=hub,
        chronicle=Chronicle(MemoryMessageStore(), hub, telemetry),
        library=library or StaticPersonaLibrary(BATTY),
        clock=FrozenClock(),
        cast=Cast((BATTY,)),
        max_responders=2,
        history_messages=20,
    )


async def come(
    rooms: Rooms, nick: str, channel: ChannelName = FIRST_CHANNEL
) -> tuple[Member, RecordingSink]:
    sink = RecordingSink()
    member = await rooms.enter(sink, nick, channel)
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
