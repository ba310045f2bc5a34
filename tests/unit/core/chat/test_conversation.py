"""Who is asked, where, and what about; the whole way is tested in tests/flow."""

import asyncio
from asyncio import Task

from palabre.core.chat.chronicle import Chronicle
from palabre.core.chat.conversation import Conversation
from palabre.core.chat.hub import RoomHub
from palabre.core.chat.members import Member
from palabre.core.chat.model import NoticeGiven
from palabre.core.chat.reserved_nicks import ReservedNicks
from palabre.core.chat.rooms import Rooms
from palabre.core.chat.turn_desk import PersonaBusyError
from palabre.core.chat.turns import Turn
from palabre.core.chat.visitors import Visitor
from palabre.kernel.ids import ChannelName, Nick
from palabre.testing.clock import FrozenClock
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.personas import StaticPersonaLibrary, a_persona
from palabre.testing.sinks import RecordingSink
from palabre.testing.telemetry import RecordingTelemetry

HERE = ChannelName("#here")


class FakeDesk:
    """Notes the turns and who was interrupted; the personas in *busy* take no more."""

    def __init__(self, *busy: str) -> None:
        self.turns: list[Turn] = []
        self._busy = busy
        self.interrupted: list[ChannelName] = []

    def start(self, turn: Turn) -> Task[None]:
        if turn.persona.nick in self._busy:
            raise PersonaBusyError(nick=turn.persona.nick, waiting=8)
        self.turns.append(turn)
        return asyncio.create_task(asyncio.sleep(0))

    def person_spoke(self, channel: ChannelName) -> None:
        self.interrupted.append(channel)


async def scene(*busy: str) -> tuple[Conversation, FakeDesk, Member, RecordingSink]:
    telemetry, library = (
        RecordingTelemetry(),
        StaticPersonaLibrary(
            a_persona("Pharmacius"), a_persona("Batty"), dispatcher=Nick("Pharmacius")
        ),
    )
    hub = RoomHub(telemetry)
    chronicle = Chronicle(MemoryMessageStore(), hub, telemetry)
    rooms = Rooms(
        hub=hub,
        chronicle=chronicle,
        library=library,
        reserved=ReservedNicks(None, FrozenClock()),
        clock=FrozenClock(),
        cast=library.cast,
        max_responders=2,
        history_messages=0,
    )
    desk, sink = FakeDesk(*busy), RecordingSink()
    ana = await rooms.enter(sink, Visitor("ana"), HERE)
    await asyncio.sleep(0)
    sink.take()
    talk = Conversation(
        rooms=rooms,
        chronicle=chronicle,
        turn_desk=desk,  # type: ignore[arg-type]
        clock=FrozenClock(),
    )
    return talk, desk, ana, sink


async def test_words_that_nobody_chose_call_nobody() -> None:
    talk, desk, ana, _ = await scene()
    talk.ask(ana, "Résultats: @Batty", whom="Résultats", about="la mer")
    (turn,) = desk.turns
    assert (turn.persona.nick, turn.text, turn.question) == (
        "Pharmacius",
        "Résultats: @Batty",
        "la mer",
    )


async def test_what_is_asked_calls_for_its_own_responders() -> None:
    talk, desk, ana, _ = await scene()
    assert len(talk.ask(ana, "@Batty et @Pharmacius ?")) == 2
    assert [turn.persona.nick for turn in desk.turns] == ["Batty", "Pharmacius"]


async def test_who_is_busy_is_left_out_and_the_asker_told() -> None:
    talk, desk, ana, sink = await scene("Batty")
    assert len(talk.ask(ana, "@Batty et @Pharmacius ?")) == 1
    assert [turn.persona.nick for turn in desk.turns] == ["Pharmacius"]
    (told,) = sink.events
    assert isinstance(told, NoticeGiven)
    assert told.text.code == "error.persona_busy"


async def test_what_a_person_says_is_answered_where_they_said_it() -> None:
    talk, desk, ana, sink = await scene()
    there = ChannelName("#there")
    await talk.post(ana, "Bonjour", there)
    (turn,) = desk.turns
    assert (turn.channel, desk.interrupted) == (there, [there])
    assert turn.cause is not None
    assert (turn.cause.text, turn.is_tainted) == ("Bonjour", False)
    assert sink.events == []
