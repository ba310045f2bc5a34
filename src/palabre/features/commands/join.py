"""/join: go to another channel (seed 000 §13.2)."""

import re

from palabre.core.auth.model import Permission
from palabre.core.chat.commands import Call, Command
from palabre.kernel.ids import ChannelName
from palabre.kernel.text import text

_SHORTEST, _LONGEST = 2, 30
_ALLOWED = re.compile(r"#[a-zA-Z0-9_-]+")


async def _join(call: Call) -> None:
    name = call.first_word
    if not name.startswith("#") or not _SHORTEST <= len(name) <= _LONGEST:
        call.answer("join.usage")
        return
    if not _ALLOWED.fullmatch(name):
        call.answer("join.invalid")
        return
    said = await call.rooms.move(call.member, ChannelName(name))
    call.answer("join.done", channel=name)
    call.tell(*said)


COMMAND = Command("join", _join, usage=text("usage.join"), rank=15, permission=Permission.CHAT_READ)
