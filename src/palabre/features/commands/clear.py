"""/clear: empty everybody's display (seed 000 §13.2)."""

from palabre.core.chat.commands import Call, Command


async def _clear(call: Call) -> None:
    call.clear_displays()


COMMAND = Command("clear", _clear, rank=2)
