"""/help: list all commands, made from the registry (seed 000 §13.2)."""

from palabre.core.auth.model import Permission
from palabre.core.chat.commands import Call, Command, ranked
from palabre.kernel.text import Text, text


async def _help(call: Call) -> None:
    call.answer("help.page", lines=tuple(map(_line, ranked(call.commands))))


def _line(command: Command) -> Text:
    return text("help.line", form=command.form, summary=command.about)


COMMAND = Command("help", _help, rank=1, permission=Permission.CHAT_READ)
