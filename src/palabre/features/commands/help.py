"""/help: list all commands, made from the registry (seed 000 §13.2)."""

from palabre.core.chat.commands import Call, Command
from palabre.kernel.text import Text, text

_WIDTH = 35


async def _help(call: Call) -> None:
    ranked = sorted(call.commands.values(), key=lambda command: (command.rank, command.name))
    call.answer("help.page", lines=tuple(map(_line, ranked)))


def _line(command: Command) -> Text:
    left = f"/{command.name} {command.usage}".rstrip().ljust(_WIDTH)
    return text("help.line", left=left, summary=command.about)


COMMAND = Command("help", _help, rank=1)
