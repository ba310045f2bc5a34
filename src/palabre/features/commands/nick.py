"""/nick: take another name (seed 000 §13.2)."""

from palabre.core.chat.commands import Call, Command
from palabre.core.chat.nicks import chosen_nick


async def _nick(call: Call) -> None:
    nick = chosen_nick(call.first_word)
    if nick is None:
        call.answer("nick.usage")
        return
    if call.rooms.is_taken(nick, except_for=call.member):
        call.answer("nick.taken", nick=nick)
        return
    old = call.member.nick
    call.members.rename(call.member, nick)
    call.announce("nick.changed", old=old, new=nick)
    call.rooms.announce_roster(call.channel)


COMMAND = Command("nick", _nick, usage="<pseudo>", rank=3)
