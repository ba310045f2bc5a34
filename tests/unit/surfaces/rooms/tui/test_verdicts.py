import pytest
from tests.support.tui_session import COLOR, feed, greeted, last

from palabre.surfaces.rooms.tui.session import Session
from palabre.surfaces.rooms.tui.verdicts import (
    MAX_RESPONSE_CHARS,
    VerdictWish,
    found,
    has,
    last_answer,
    marked,
    of_answer,
    put_back,
    unmarked,
    verdict_wish,
)
from palabre.wire.rooms import Image, Message, System


def answered() -> Session:
    session = greeted()
    feed(
        session,
        Message("Schaeffer", "Écoute.", COLOR, 1, "r1"),
        Message("Batty", "J'ai vu.", COLOR, 2, "r2"),
        Message("lea", "merci", COLOR, 3),
        System("marc est parti"),
    )
    return session


@pytest.mark.parametrize(
    ("line", "wish"),
    [
        ("/thumb up", VerdictWish("up")),
        ("/THUMB Down", VerdictWish("down")),
        ("/thumb pin @Batty", VerdictWish("pin", "Batty")),
        ("  /thumb   up   Batty ", VerdictWish("up", "Batty")),
        ("/thumb", VerdictWish(None)),
        ("/thumb sideways", VerdictWish(None)),
        ("/thumbs up", None),
        ("/thumb up Batty and more", None),
        ("thumb up", None),
    ],
)
def test_a_line_says_what_is_thought_of_whom(line: str, wish: VerdictWish | None) -> None:
    assert verdict_wish(line) == wish


def test_the_last_answer_of_a_persona_is_meant() -> None:
    session = answered()
    found_last, of_schaeffer = last_answer(session), last_answer(session, "schaeffer")
    assert found_last is not None
    assert (found_last.nick, found_last.reply_id) == ("Batty", "r2")
    assert of_schaeffer is not None
    assert of_schaeffer.text == "Écoute."
    assert last_answer(session, "Bat") is None
    assert last_answer(session, "lea") is None


def test_what_people_say_and_what_was_said_before_is_not_judged() -> None:
    session = greeted()
    feed(
        session,
        System("--- Historique recent ---"),
        Message("Batty", "[09:41] hier", COLOR),
        System("--- Fin de l'historique ---"),
        Message("marc", "je suis là", COLOR, 1, "r9"),
        Image("Batty", "une image", "image/png", "aGk=", 2),
    )
    assert last_answer(session) is None


def test_a_thumb_takes_the_place_of_the_other_and_a_pin_stays() -> None:
    entry = last(answered())
    up = marked(marked(entry, "pin"), "up")
    down = marked(up, "down")
    assert (down.vote, down.pinned) == ("down", True)
    assert has(down, "down")
    assert has(down, "pin")
    assert not has(down, "up")


def test_the_same_again_takes_the_mark_away() -> None:
    entry = last(answered())
    assert marked(marked(entry, "up"), "up") == entry
    assert marked(marked(entry, "pin"), "pin") == entry
    assert of_answer(marked(entry, "up"), "up", "#general").withdraws
    assert not of_answer(entry, "up", "#general").withdraws


def test_only_what_was_not_taken_is_undone() -> None:
    entry = last(answered())
    up = marked(entry, "up")
    both = marked(up, "pin")
    assert unmarked(both, "pin", up) == up
    assert unmarked(marked(up, "down"), "down", up) == up
    assert unmarked(marked(up, "down"), "up", entry) == marked(entry, "down")
    assert unmarked(entry, "up", up) == up


def test_an_entry_is_replaced_where_it_stands_while_it_is_there() -> None:
    session = answered()
    entry = last_answer(session)
    assert entry is not None
    put_back(session, marked(entry, "up"))
    assert found(session, entry.id) == marked(entry, "up")
    session.clear()
    put_back(session, entry)
    assert not session.entries
    assert found(session, entry.id) is None


def test_the_server_is_told_the_answer_and_its_name() -> None:
    session = greeted()
    feed(session, Message("Batty", "x" * (MAX_RESPONSE_CHARS + 5), COLOR, 1, "r1"))
    told = of_answer(last(session), "down", "#general").body
    assert len(told.pop("response")) == MAX_RESPONSE_CHARS
    assert told == {
        "personaNick": "Batty",
        "messageId": "r1",
        "vote": "down",
        "channel": "#general",
    }
