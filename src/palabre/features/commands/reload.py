"""/reload: read the personas' files again (seed 000 §13.2)."""

from palabre.core.auth.model import Permission
from palabre.core.chat.commands import Call, Command
from palabre.kernel.errors import SetupError


async def _reload(call: Call) -> None:
    call.answer("reload.started")
    try:
        cast = await call.rooms.reload_cast()
    except SetupError as error:
        call.answer("reload.failed", reason=error.text)
        return
    call.announce("reload.done", personas=", ".join(each.nick for each in cast.personas))
    if cast.problems:
        call.answer("reload.left_out", problems=tuple(each.text for each in cast.problems))


COMMAND = Command("reload", _reload, rank=17, permission=Permission.PERSONA_WRITE)
