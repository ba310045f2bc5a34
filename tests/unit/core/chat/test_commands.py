"""What a slash command may use, and whom it tells."""

import asyncio
from typing import Any

import pytest

from palabre.core.chat.chronicle import Chronicle
from palabre.core.chat.commands import Call
from palabre.core.chat.hub import RoomHub
from palabre.core.chat.model import DisplayCleared, NoticeGiven
from palabre.core.chat.reserved_nicks import ReservedNicks
from palabre.core.chat.rooms import Rooms
from palabre.core.chat.visitors import Visitor
from palabre.core.personas.model import Cast
from palabre.kernel.ids import ChannelName
from palabre.kernel.text import text
from palabre.testing.clock import FrozenClock
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.sinks import RecordingSink
from palabre.testing.telemetry import RecordingTelemetry

HERE = ChannelName("#here")
SAID = 3
"""Of two comings: who came, and who is here at first."""


async def a_call(rest: str = "") -> tuple[Call, RecordingSink, RecordingSink]:
    hub, own, other = RoomHub(RecordingTelemetry()), RecordingSink(), RecordingSink()
    unused: Any = None
    rooms = Rooms(
        hub=hub,
        chronicle=Chronicle(MemoryMessageStore(), hub, RecordingTelemetry()),
        library=unused,
        reserved=ReservedNicks(None, FrozenClock()),
        clock=FrozenClock(),
        cast=Cast(()),
        max_responders=2,
        history_messages=0,
    )
    ana = await rooms.enter(own, Visitor("ana"), HERE)
    await rooms.enter(other, Visitor("bob"), HERE)
    await asyncio.sleep(0)
    own.take(), other.take()
    call = Call(
        member=ana,
        rest=rest,
        rooms=rooms,
        conversation=unused,
        jobs=unused,
        studio=unused,
        search=unused,
        turn_desk=unused,
        store=unused,
        models=unused,
        memories=unused,
        machine=unused,
        clock=unused,
        commands={},
    )
    return call, own, other


@pytest.mark.parametrize(
    ("rest", "word"), [("", ""), ("a", "a"), ("a b c", "a"), ("a\tb", "a"), ("é\u00a0b", "é")]
)
async def test_the_first_argument_ends_at_any_white_space(rest: str, word: str) -> None:
    assert (await a_call(rest))[0].first_word == word


async def test_an_answer_is_for_the_caller_and_an_announcement_for_everybody() -> None:
    call, own, other = await a_call()
    call.answer("nick.usage")
    call.announce("join.done", channel="#a")
    call.rooms.publish(call.channel, DisplayCleared())
    await asyncio.sleep(0)
    everybody = [
        NoticeGiven(text("join.done", channel="#a"), seq=SAID + 1),
        DisplayCleared(seq=SAID + 2),
    ]
    assert own.events == [NoticeGiven(text("nick.usage")), *everybody]
    assert other.events == everybody


async def test_what_was_announced_before_is_told_before() -> None:
    call, own, _ = await a_call()
    call.announce("join.done", channel="#a")
    call.answer("nick.usage")
    assert [each.text.code for each in own.events if isinstance(each, NoticeGiven)] == [
        "join.done",
        "nick.usage",
    ]


async def test_the_caller_is_where_its_member_is() -> None:
    call, _, _ = await a_call()
    call.member.channel = ChannelName("#there")
    assert call.channel == "#there"
