"""/channels: where people are (seed 000 §13.2)."""

from palabre.core.auth.model import Permission
from palabre.core.chat.commands import Call, Command
from palabre.kernel.text import Text, text


async def _channels(call: Call) -> None:
    lines = [_line(channel, people) for channel, people in call.rooms.channel_counts()]
    call.answer("channels.page", lines=tuple(lines) or text("channels.none"))


def _line(channel: str, people: int) -> Text:
    return text("channels.one" if people == 1 else "channels.many", channel=channel, people=people)


COMMAND = Command("channels", _channels, rank=16, permission=Permission.CHAT_READ)
