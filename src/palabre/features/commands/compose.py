"""/compose: make music (seed 000 §13.2). No music service can be configured yet."""

from palabre.core.chat.commands import Call, Command
from palabre.kernel.text import text


async def _compose(call: Call) -> None:
    call.answer("compose.unavailable" if call.rest else "compose.usage")


COMMAND = Command("compose", _compose, usage=text("usage.compose"), rank=14)
