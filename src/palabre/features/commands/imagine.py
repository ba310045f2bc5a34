"""/imagine: make a picture (seed 000 §13.2). No picture service can be configured yet."""

from palabre.core.chat.commands import Call, Command
from palabre.kernel.text import text


async def _imagine(call: Call) -> None:
    if not call.rest:
        call.answer("imagine.usage")
        return
    call.answer("imagine.failed", reason=text("imagine.unavailable"))


COMMAND = Command("imagine", _imagine, usage=text("usage.imagine"), rank=13)
