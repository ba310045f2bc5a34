"""/nick: take another name (seed 000 §13.2)."""

from palabre.core.chat.commands import Call, Command
from palabre.core.personas.nicks import chosen_nick
from palabre.kernel.text import text


async def _nick(call: Call) -> None:
    nick = chosen_nick(call.first_word)
    if nick is None:
        call.answer("nick.usage")
        return
    if call.member.visitor.is_known:
        call.answer("nick.is_username")
        return
    is_reserved = await call.rooms.is_reserved(nick, call.member.visitor)
    if is_reserved or call.rooms.is_taken(nick, except_for=call.member):
        call.answer("nick.taken", nick=nick)
        return
    call.rooms.rename(call.member, nick)


COMMAND = Command("nick", _nick, usage=text("usage.nick"), rank=3)
