"""/responders: how many personas answer a message (seed 000 §13.2)."""

from palabre.core.chat.commands import Call, Command
from palabre.kernel.text import text

_MOST = 5


async def _responders(call: Call) -> None:
    word = call.first_word
    wanted = int(word) if len(word) == 1 and word.isascii() and word.isdigit() else 0
    if not 1 <= wanted <= _MOST:
        call.answer("responders.usage", current=call.rooms.max_responders)
        return
    call.rooms.max_responders = wanted
    call.announce("responders.changed", nick=call.member.nick, count=wanted)


COMMAND = Command("responders", _responders, usage=text("usage.responders"), rank=12)
