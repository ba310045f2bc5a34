"""/who: list who is here (seed 000 §13.2)."""

from palabre.core.auth.model import Permission
from palabre.core.chat.commands import Call, Command
from palabre.core.chat.model import RosterListed


async def _who(call: Call) -> None:
    call.tell(RosterListed(call.rooms.roster(call.channel)))


COMMAND = Command("who", _who, rank=4, permission=Permission.CHAT_READ)
