"""What the reader thinks of answers: `/thumb up|down|pin [persona]`, and the mark it leaves. Pure.

The server takes it by `POST /api/v2/feedback`, as from the page (facts of seed 000, 3.8).
"""

import re
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from palabre.surfaces.rooms.tui.entry import Entry, Kind
from palabre.surfaces.rooms.tui.session import Session

Vote: TypeAlias = Literal["up", "down", "pin"]
VOTES: tuple[Vote, ...] = ("up", "down", "pin")

MAX_RESPONSE_CHARS = 32_000
"""The server knows the whole answer by its id."""

_COMMAND = re.compile(
    r"/thumb(?:\s+(?P<vote>\w+))?(?:\s+@?(?P<nick>\S+))?", re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class VerdictWish:
    """What somebody typed.

    Attributes:
        vote: None when it is none of the three.
        nick: Whose last answer is meant; empty for the last of all.
    """

    vote: Vote | None
    nick: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is thought of one answer.

    Attributes:
        withdraws: It is thought no longer.
    """

    vote: Vote
    nick: str
    response: str
    reply_id: str
    channel: str
    withdraws: bool = False

    @property
    def body(self) -> dict[str, str]:
        """It as the server takes it."""
        return {
            "personaNick": self.nick,
            "response": self.response[:MAX_RESPONSE_CHARS],
            "messageId": self.reply_id,
            "vote": self.vote,
            "channel": self.channel,
        }


def verdict_wish(line: str) -> VerdictWish | None:
    """Return what a `/thumb` line wants; None for another line."""
    found = _COMMAND.fullmatch(line.strip())
    if found is None:
        return None
    asked = (found["vote"] or "").lower()
    return VerdictWish(next((vote for vote in VOTES if vote == asked), None), found["nick"] or "")


def last_answer(session: Session, nick: str = "") -> Entry | None:
    """Return the last answer that can be judged, of the persona *nick* or of any."""
    return next((each for each in reversed(session.entries) if _fits(each, session, nick)), None)


def of_answer(entry: Entry, vote: Vote, channel: str) -> Verdict:
    """Return *vote* on the answer *entry*; where it bears that mark, it is withdrawn."""
    return Verdict(vote, entry.nick, entry.text, entry.reply_id, channel, has(entry, vote))


def has(entry: Entry, vote: Vote) -> bool:
    """Return whether *entry* bears the mark of *vote* already."""
    return entry.pinned if vote == "pin" else entry.vote == vote


def marked(entry: Entry, vote: Vote) -> Entry:
    """Return *entry* with the mark of *vote*, or without it where it has it already.

    A thumb takes the place of the opposite one.
    """
    if vote == "pin":
        return replace(entry, pinned=not entry.pinned)
    return replace(entry, vote="" if entry.vote == vote else vote)


def unmarked(entry: Entry, vote: Vote, before: Entry) -> Entry:
    """Return *entry* as it was *before*, as far as *vote* changed it."""
    if vote == "pin":
        return replace(entry, pinned=before.pinned)
    is_as_set = entry.vote == marked(before, vote).vote
    return replace(entry, vote=before.vote) if is_as_set else entry


def put_back(session: Session, entry: Entry) -> None:
    """Put *entry* in the place of the one with its id, if that is still there."""
    for place, each in enumerate(session.entries):
        if each.id == entry.id:
            session.entries[place] = entry


def found(session: Session, entry_id: int) -> Entry | None:
    """Return the entry of that id; None if it is gone."""
    return next((each for each in session.entries if each.id == entry_id), None)


def _fits(entry: Entry, session: Session, nick: str) -> bool:
    if entry.kind is not Kind.MESSAGE or not entry.reply_id:
        return False
    is_meant = not nick or entry.nick.casefold() == nick.casefold()
    return is_meant and entry.nick in session.personas
