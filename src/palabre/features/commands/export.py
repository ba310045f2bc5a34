"""/export: what was said in the channel, newest 100 000 characters (seed 000 §13.2)."""

from palabre.core.auth.model import Permission
from palabre.core.chat.commands import Call, Command
from palabre.core.chat.model import Utterance
from palabre.kernel.clock import iso_utc
from palabre.kernel.text import Text, text

_BUDGET_CHARS = 100_000


async def _export(call: Call) -> None:
    said = await call.store.within(call.channel, _BUDGET_CHARS)
    if not said:
        call.answer("export.empty")
        return
    now = iso_utc(call.clock.now())
    call.answer("export.page", channel=call.channel, now=now, lines=tuple(map(_line, said)))


def _line(said: Utterance) -> Text:
    return text("export.line", at=iso_utc(said.at), nick=said.nick, text=said.text)


COMMAND = Command("export", _export, rank=11, permission=Permission.CHAT_READ)
