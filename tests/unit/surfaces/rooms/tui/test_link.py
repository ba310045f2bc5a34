import pytest

from palabre.surfaces.rooms.tui.connection import Event, GaveUp, Lost, Opened, Waiting
from palabre.surfaces.rooms.tui.link import Link, Status
from palabre.surfaces.rooms.tui.words import Words


def after(*events: Event) -> Link:
    link = Link()
    for event in events:
        link = link.after(event)
    return link


@pytest.mark.parametrize(
    ("events", "status", "spoken"),
    [
        ((), Status.RECONNECTING, "connecting…"),
        ((Opened(),), Status.CONNECTED, "connected"),
        ((Lost(""), Waiting(2, 4)), Status.RECONNECTING, "reconnecting in 4 s, attempt 2/20"),
        ((Waiting(20, 30), GaveUp()), Status.DISCONNECTED, "disconnected, F5 tries again"),
        (
            (Lost("LOGIN invalid_credentials"), GaveUp()),
            Status.DISCONNECTED,
            "disconnected, Ctrl+Q quits",
        ),
    ],
)
def test_the_state_follows_the_events_and_is_said_in_words(
    events: tuple[Event, ...], status: Status, spoken: str
) -> None:
    assert after(*events).status is status
    assert after(*events).spoken(Words("en")) == spoken


def test_a_second_brings_the_attempt_nearer_and_then_it_is_made() -> None:
    link = after(Waiting(3, 1)).a_second_later()
    assert link.spoken(Words("en")) == "reconnecting, attempt 3/20…"
    assert link.a_second_later() == link


def test_only_an_answer_of_http_is_a_refusal() -> None:
    assert after(Lost("HTTP 403")).refused == "HTTP 403"
    assert after(Lost("1006 gone")).refused == ""
