"""What was sent and is not done yet: a server does one frame after the other (seed 000 §5.5).

Pending lines are a tuple of texts as they were sent, oldest first.
"""

import re
from typing import TypeAlias

from msgspec import UNSET

from palabre.surfaces.rooms.tui import phrases
from palabre.wire.rooms import ChannelInfo, Message, ServerFrame, System, UserList

Pending: TypeAlias = tuple[str, ...]

_URGENT = re.compile(r"/stop(\s|$)", re.IGNORECASE)
"""Done out of turn, and not answered to who asked."""


def is_command(line: str) -> bool:
    """Return whether *line* is sent as a command."""
    return line.startswith("/")


def with_line(pending: Pending, line: str) -> Pending:
    """Return what is pending after *line* was sent."""
    return pending if _URGENT.match(line) else (*pending, line)


def after_frame(pending: Pending, frame: ServerFrame, nick: str | None) -> Pending:
    """Return what is pending after *frame*, which is no replayed one, came to the user *nick*."""
    match frame:
        case Message():
            return _after_echo(pending, frame.text) if frame.nick == nick else pending
        case System() if phrases.is_refusal(frame.text):
            return pending[:-1]
        case System() | ChannelInfo() | UserList() if _is_answer(frame):
            return pending[1:] if pending and is_command(pending[0]) else pending
        case _:
            return pending


def _is_answer(frame: System | ChannelInfo | UserList) -> bool:
    """What is said to everybody carries a number, what is said to one does not."""
    told_of_reply = isinstance(frame, System) and frame.reply_id is not UNSET
    return frame.seq is UNSET and not told_of_reply


def _after_echo(pending: Pending, text: str) -> Pending:
    """What was sent before the line that came back is done too."""
    for number, line in enumerate(pending):
        if not is_command(line) and line.strip() == text.strip():
            return pending[number + 1 :]
    return pending
