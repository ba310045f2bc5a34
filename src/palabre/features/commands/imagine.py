"""/imagine: make a picture and show it to the channel (seed 000 §13.2)."""

from asyncio import Task

from palabre.core.chat.commands import Call, Command
from palabre.core.chat.model import NoticeGiven
from palabre.core.chat.studio import cut_prompt
from palabre.core.chat.waiting import WaitingLine, attended
from palabre.core.media.errors import NoImageGeneratorError
from palabre.core.models.errors import reason_of
from palabre.kernel.errors import UpstreamError
from palabre.kernel.text import Text, text


async def _imagine(call: Call) -> list[Task[None]] | None:
    if not call.rest:
        call.answer("imagine.usage")
        return None
    if not call.studio.makes_pictures:
        call.tell(NoticeGiven(_failure(NoImageGeneratorError())))
        return None
    call.jobs.require_room(call.member)
    prompt, cut = cut_prompt(call.rest)
    if cut is not None:
        call.tell(NoticeGiven(cut))
    nick, channel = call.member.nick, call.channel
    call.announce("imagine.started", nick=nick, prompt=prompt)
    line = WaitingLine("imagine.waiting", call.clock)
    work = attended(
        lambda: call.studio.show_picture(prompt, nick, channel, line.note),
        line,
        call.tell,
        _failure,
    )
    return [call.jobs.start(call.member, work)]


def _failure(error: UpstreamError) -> Text:
    return text("imagine.failed", reason=reason_of(error))


COMMAND = Command("imagine", _imagine, usage=text("usage.imagine"), rank=13)
