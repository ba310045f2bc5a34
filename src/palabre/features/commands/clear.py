"""/clear: empty everybody's display (seed 000 §13.2)."""

from palabre.core.chat.commands import Call, Command
from palabre.core.chat.model import DisplayCleared


async def _clear(call: Call) -> None:
    call.rooms.publish(call.channel, DisplayCleared())


COMMAND = Command("clear", _clear, rank=2)
