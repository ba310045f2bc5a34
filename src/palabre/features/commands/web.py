"""/web: search the web (seed 000 §13.2). No search service can be configured in this version."""

from palabre.core.chat.commands import Call, Command
from palabre.kernel.text import text


async def _web(call: Call) -> None:
    if not call.rest:
        call.answer("web.usage")
        return
    call.answer("web.searching", query=call.rest)
    call.answer("web.failed", reason=text("web.unavailable"))


COMMAND = Command("web", _web, usage=text("usage.web"), rank=6)
