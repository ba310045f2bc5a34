"""What a newcomer is shown of the past."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from palabre.core.chat.history import replayed
from palabre.core.chat.model import UNKNOWN_COLOR, MessagePosted, NoticeGiven, Utterance
from palabre.core.personas.model import Cast
from palabre.kernel.ids import ChannelName, Nick
from palabre.kernel.text import verbatim
from palabre.testing.personas import a_persona

CAST = Cast((a_persona("Batty", color="#ef5350"),), ())
LATE = datetime(2026, 3, 20, 23, 30, tzinfo=UTC)


def said(nick: str, text: str) -> Utterance:
    return Utterance(LATE, ChannelName("#here"), Nick(nick), text)


def test_nothing_said_shows_nothing_at_all() -> None:
    assert replayed([], CAST, UTC) == []


def test_each_line_has_its_hour_here_and_its_colour_between_two_borders() -> None:
    events = replayed([said("BATTY", "un\ndeux"), said("ana", "a")], CAST, ZoneInfo("Europe/Paris"))
    opening, *lines, closing = events
    assert isinstance(opening, NoticeGiven)
    assert isinstance(closing, NoticeGiven)
    assert (opening.text.code, closing.text.code) == ("history.opening", "history.closing")
    assert lines == [
        MessagePosted(Nick("BATTY"), "[00:30] un\ndeux", "#ef5350"),
        MessagePosted(Nick("ana"), "[00:30] a", UNKNOWN_COLOR),
    ]


def test_a_line_of_the_room_itself_is_nobodys_message() -> None:
    noted = Utterance(LATE, ChannelName("#here"), Nick("Batty"), "ana a rejoint #here", "system")
    _, line, _ = replayed([noted], CAST, UTC)
    assert line == NoticeGiven(verbatim("[23:30] ana a rejoint #here"))


@pytest.mark.parametrize(
    ("at", "zone"),
    [
        (datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC), "Europe/Paris"),
        (datetime(1, 1, 1, 0, 0, tzinfo=UTC), "America/New_York"),
    ],
)
def test_a_moment_that_has_no_hour_here_is_told_with_that_of_utc(at: datetime, zone: str) -> None:
    odd = Utterance(at, ChannelName("#here"), Nick("ana"), "a")
    _, line, _ = replayed([odd], CAST, ZoneInfo(zone))
    assert line == MessagePosted(Nick("ana"), f"[{at:%H:%M}] a", UNKNOWN_COLOR)
