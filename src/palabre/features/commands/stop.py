"""/stop: break off what personas are saying to the caller. An addition to the seed."""

from palabre.core.auth.model import Permission
from palabre.core.chat.commands import Call, Command


async def _stop(call: Call) -> None:
    jobs = call.jobs.stop(call.member)
    stopped = call.turn_desk.stop(call.member)
    if stopped:
        call.answer("stop.done", personas=", ".join(stopped))
    elif jobs:
        call.answer("stop.jobs", count=jobs)
    else:
        call.answer("stop.nothing")


COMMAND = Command("stop", _stop, rank=18, permission=Permission.CHAT_READ, urgent=True)
