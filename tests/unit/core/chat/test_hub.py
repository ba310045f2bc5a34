"""The hub says once, writes to many, and waits for nobody."""

import asyncio
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palabre.core.chat import hub as hub_module
from palabre.core.chat.hub import RoomHub
from palabre.core.chat.model import Event, ImageShown, NoticeGiven, ReplyGrew, SentenceSpoken
from palabre.core.media.base64_text import to_base64
from palabre.kernel.ids import ChannelName, Nick, ReplyId
from palabre.kernel.text import verbatim
from palabre.testing.sinks import EventLines, RecordingSink
from palabre.testing.telemetry import RecordingTelemetry

HERE, THERE = ChannelName("#here"), ChannelName("#there")


def notice(words: object) -> NoticeGiven:
    return NoticeGiven(verbatim(str(words)))


def said(events: list[Event]) -> list[str]:
    return [str(each.text.data["words"]) for each in events if isinstance(each, NoticeGiven)]


async def test_events_of_one_turn_are_encoded_once_and_written_with_one_call_a_listener() -> None:
    hub, lines = RoomHub(RecordingTelemetry()), EventLines()
    sinks = [RecordingSink(lines) for _ in range(3)]
    for sink in sinks:
        hub.listen(HERE, sink)
    for number in range(5):
        hub.publish(HERE, notice(number))
    assert [sink.writes for sink in sinks] == [[], [], []]
    await asyncio.sleep(0)
    assert len(lines.calls) == 5
    assert [len(sink.writes) for sink in sinks] == [1, 1, 1]
    assert said(sinks[2].events) == ["0", "1", "2", "3", "4"]


async def test_each_kind_of_listener_gets_its_own_bytes() -> None:
    hub = RoomHub(RecordingTelemetry())
    one, other = RecordingSink(), RecordingSink()
    hub.listen(HERE, one)
    hub.listen(HERE, other)
    hub.publish(HERE, notice("a"))
    await asyncio.sleep(0)
    assert one.events == other.events
    assert len(one.lines.calls) == len(other.lines.calls) == 1


async def test_places_in_a_channels_log_have_no_gap_and_pieces_of_replies_take_none() -> None:
    hub = RoomHub(RecordingTelemetry())
    assert hub.publish(HERE, notice("a")).seq == 1
    grew = ReplyGrew(Nick("Batty"), "x", "#ffffff", 1, ReplyId("r"))
    assert hub.publish(HERE, grew) == grew
    assert hub.publish(HERE, notice("b")).seq == 2
    assert hub.publish(THERE, notice("c")).seq == 1


async def test_who_is_told_alone_has_heard_all_that_was_said_before() -> None:
    hub, sink = RoomHub(RecordingTelemetry()), RecordingSink()
    hub.listen(HERE, sink)
    hub.publish(HERE, notice("before"))
    hub.tell(HERE, sink, notice("alone"))
    hub.publish(HERE, notice("after"))
    await asyncio.sleep(0)
    assert said(sink.events) == ["before", "alone", "after"]


async def test_nothing_to_tell_writes_nothing() -> None:
    hub, sink = RoomHub(RecordingTelemetry()), RecordingSink()
    hub.tell(HERE, sink)
    assert sink.writes == []


async def test_a_newcomer_hears_nothing_of_before_and_a_leaver_all_of_it() -> None:
    hub, early, late = RoomHub(RecordingTelemetry()), RecordingSink(), RecordingSink()
    hub.listen(HERE, early)
    hub.publish(HERE, notice("one"))
    hub.listen(HERE, late)
    hub.publish(HERE, notice("two"))
    hub.leave(HERE, early)
    hub.publish(HERE, notice("three"))
    await asyncio.sleep(0)
    assert said(early.events) == ["one", "two"]
    assert said(late.events) == ["two", "three"]


async def test_a_line_that_is_gone_gets_nothing_more_and_costs_the_others_no_write() -> None:
    hub, gone, other = RoomHub(RecordingTelemetry()), RecordingSink(), RecordingSink()
    for sink in (gone, other):
        hub.listen(HERE, sink)
    hub.publish(HERE, notice("a"))
    hub.forget(HERE, gone)
    hub.publish(HERE, notice("b"))
    await asyncio.sleep(0)
    assert not gone.writes
    assert len(other.writes) == 1
    assert said(other.events) == ["a", "b"]


async def test_newcomers_of_one_turn_cost_the_others_one_write() -> None:
    hub, early, lines = RoomHub(RecordingTelemetry()), RecordingSink(), EventLines()
    hub.listen(HERE, early)
    newcomers = [RecordingSink(lines) for _ in range(10)]
    for number, sink in enumerate(newcomers):
        hub.publish(HERE, notice(number))
        hub.listen(HERE, sink)
        hub.tell(HERE, sink, notice("welcome"))
    await asyncio.sleep(0)
    assert len(early.writes) == 1
    assert said(newcomers[7].events) == ["welcome", "8", "9"]


async def test_who_cannot_take_more_is_given_up_once_and_the_others_hear_all() -> None:
    telemetry, lines = RecordingTelemetry(), EventLines()
    hub = RoomHub(telemetry)
    slow, quick = RecordingSink(lines, room=1), RecordingSink(lines)
    for sink in (slow, quick):
        hub.listen(HERE, sink)
    for number in range(3):
        hub.publish(HERE, notice(number))
        await asyncio.sleep(0)
    assert (slow.evicted, quick.evicted) == (1, 0)
    assert said(slow.events) == ["0"]
    assert said(quick.events) == ["0", "1", "2"]
    assert telemetry.counts["listeners_evicted", ""] == 1


async def test_a_listener_that_takes_no_sound_is_not_given_up_for_it() -> None:
    hub, lines = RoomHub(RecordingTelemetry()), EventLines()
    deaf, keen = RecordingSink(lines, room=1), RecordingSink(lines)
    for sink in (deaf, keen):
        hub.listen(HERE, sink)
    hub.publish(HERE, notice("a"))
    hub.publish(HERE, SentenceSpoken(Nick("Batty"), "UklGRg==", ReplyId("r"), 1))
    await asyncio.sleep(0)
    assert deaf.evicted == 0
    assert said(deaf.events) == ["a"]
    assert [type(event) for event in keen.events] == [NoticeGiven, SentenceSpoken]


async def test_a_picture_keeps_its_place_among_the_words() -> None:
    hub, slow, keen = RoomHub(RecordingTelemetry()), RecordingSink(room=1), RecordingSink()
    for sink in (slow, keen):
        hub.listen(HERE, sink)
    picture = ImageShown(Nick("ana"), verbatim("x"), await to_base64(b"png"), "image/png")
    hub.publish(HERE, notice("a"))
    hub.tell(HERE, keen, notice("alone"), picture)
    shown = hub.publish(HERE, picture)
    hub.publish(HERE, notice("b"))
    await asyncio.sleep(0)
    kinds = [type(each) for each in keen.events]
    assert kinds == [NoticeGiven, NoticeGiven, ImageShown, ImageShown, NoticeGiven]
    assert (keen.events[3], shown.seq) == (shown, 2)
    assert slow.evicted == 1


async def test_words_beside_a_sound_are_still_owed_to_everybody() -> None:
    hub, slow = RoomHub(RecordingTelemetry()), RecordingSink(room=1)
    hub.listen(HERE, slow)
    hub.publish(HERE, SentenceSpoken(Nick("Batty"), "UklGRg==", ReplyId("r"), 1))
    hub.publish(HERE, notice("a"))
    await asyncio.sleep(0)
    assert slow.evicted == 1


async def test_who_is_given_up_while_told_alone_hears_no_more() -> None:
    hub, sink = RoomHub(RecordingTelemetry()), RecordingSink(room=0)
    hub.listen(HERE, sink)
    hub.tell(HERE, sink, notice("alone"))
    sink.room = None
    hub.publish(HERE, notice("after"))
    await asyncio.sleep(0)
    assert sink.evicted == 1
    assert sink.events == []
    assert list(hub.channels()) == []


async def test_the_last_of_a_channel_leaves_nothing_behind() -> None:
    hub, sink = RoomHub(RecordingTelemetry()), RecordingSink()
    hub.listen(HERE, sink)
    hub.leave(HERE, sink)
    hub.leave(HERE, sink)
    assert list(hub.channels()) == []
    assert hub.publish(HERE, notice("to nobody")).seq == 1


async def test_only_counters_of_channels_without_listeners_are_forgotten() -> None:
    hub, sink = RoomHub(RecordingTelemetry()), RecordingSink()
    hub.listen(HERE, sink)
    hub.publish(HERE, notice("kept"))
    for number in range(hub_module.MAX_REMEMBERED_CHANNELS + 10):
        hub.publish(ChannelName(f"#{number}"), notice("to nobody"))
    assert hub.publish(HERE, notice("kept")).seq == 2
    assert hub.publish(ChannelName("#0"), notice("again")).seq == 1


STEPS = st.lists(
    st.tuples(st.sampled_from(["publish", "tell", "listen", "leave", "turn"]), st.integers(0, 2)),
    max_size=30,
)


@given(STEPS)
def test_whatever_happens_a_listener_hears_in_order_and_without_gap(
    steps: list[tuple[str, int]],
) -> None:
    asyncio.run(_follow(steps))


async def _follow(steps: list[tuple[str, int]]) -> None:
    hub, lines, numbers = RoomHub(RecordingTelemetry()), EventLines(), count()
    sinks = [RecordingSink(lines) for _ in range(3)]
    expected: list[list[str]] = [[], [], []]
    inside: set[int] = set()
    for step, who in steps:
        words = str(next(numbers))
        if step == "publish":
            hub.publish(HERE, notice(words))
            for each in inside:
                expected[each].append(words)
        elif step == "tell":
            hub.tell(HERE, sinks[who], notice(words))
            expected[who].append(words)
        elif step == "turn":
            await asyncio.sleep(0)
        elif step == "listen":
            hub.listen(HERE, sinks[who])
            inside.add(who)
        else:
            hub.leave(HERE, sinks[who])
            inside.discard(who)
    await asyncio.sleep(0)
    assert [said(sink.events) for sink in sinks] == expected


@pytest.mark.parametrize("listeners", [0, 1])
async def test_a_listener_that_leaves_in_the_turn_of_a_message_still_hears_it(
    listeners: int,
) -> None:
    hub, leaver = RoomHub(RecordingTelemetry()), RecordingSink()
    others = [RecordingSink() for _ in range(listeners)]
    for sink in (leaver, *others):
        hub.listen(HERE, sink)
    hub.publish(HERE, notice("a"))
    hub.leave(HERE, leaver)
    await asyncio.sleep(0)
    assert [said(sink.events) for sink in (leaver, *others)] == [["a"]] * (1 + listeners)
