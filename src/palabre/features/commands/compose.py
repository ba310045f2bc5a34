"""/compose: make music and play it to the channel (seed 000 §13.2)."""

import re
from asyncio import Task

from palabre.core.chat.commands import Call, Command
from palabre.core.chat.model import NoticeGiven
from palabre.core.chat.studio import cut_prompt
from palabre.core.chat.waiting import WaitingLine, attended
from palabre.core.media.errors import NoComposerError
from palabre.core.models.errors import SilentServerError, reason_of
from palabre.kernel.errors import UpstreamError
from palabre.kernel.text import Text, text

SHORTEST_S, LONGEST_S, USUAL_S = 5, 120, 30

_DURATION = re.compile(r"(\d+)s$", re.ASCII)
_MOST_DIGITS = 4
"""More of them are longer than the longest piece in any case."""


async def _compose(call: Call) -> list[Task[None]] | None:
    wish, duration_s = _parsed(call.rest)
    if not wish:
        call.answer("compose.usage")
        return None
    if not call.studio.makes_music:
        call.tell(NoticeGiven(NoComposerError().text))
        return None
    call.jobs.require_room(call.member)
    prompt, cut = cut_prompt(wish)
    if cut is not None:
        call.tell(NoticeGiven(cut))
    nick, channel = call.member.nick, call.channel
    call.announce("compose.started", nick=nick, prompt=prompt, duration_s=duration_s)
    line = WaitingLine("compose.waiting", call.clock)
    work = attended(
        lambda: call.studio.play_music(prompt, duration_s, nick, channel),
        line,
        call.tell,
        lambda error: _failure(error, line.elapsed_s),
    )
    return [call.jobs.start(call.member, work)]


def _parsed(rest: str) -> tuple[str, int]:
    """Return the wish and the seconds at the end of *rest*, within what can be had."""
    match = _DURATION.search(rest)
    if match is None:
        return rest, USUAL_S
    asked_s = int(match[1].lstrip("0")[:_MOST_DIGITS] or "0")
    return rest[: match.start()].rstrip(" \t\n,"), max(SHORTEST_S, min(asked_s, LONGEST_S))


def _failure(error: UpstreamError, elapsed_s: int) -> Text:
    if isinstance(error, SilentServerError):
        return text("compose.timeout", elapsed_s=elapsed_s)
    return text("compose.failed", reason=reason_of(error))


COMMAND = Command("compose", _compose, usage=text("usage.compose"), rank=14)
