"""A session of the terminal client that is fed with frames."""

from tests.support.tui import greeting

from palabre.surfaces.rooms.tui.entry import Entry, Kind
from palabre.surfaces.rooms.tui.session import Session
from palabre.wire.rooms import ServerFrame

NOON = "12:00"
COLOR = "#4fc3f7"


def feed(session: Session, *frames: ServerFrame) -> None:
    for frame in frames:
        session.receive(frame, NOON)


def greeted(nick: str = "lea") -> Session:
    session = Session(nick)
    session.opened()
    feed(session, *greeting(nick, "marc"))
    return session


def said(session: Session) -> list[tuple[str, str]]:
    return [(e.nick, e.text) for e in session.entries if e.kind is Kind.MESSAGE]


def last(session: Session) -> Entry:
    return session.entries[-1]
