"""The slash commands that a server offers."""

from collections.abc import Sequence
from dataclasses import dataclass

import httpx2
import msgspec

from palabre.surfaces.rooms.tui.address import is_here
from palabre.surfaces.rooms.tui.words import Words

OWN = ("upload", "save", "thumb")
"""Commands that the client does itself."""

_TIMEOUT_S = 5


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command: `name` with its slash, `usage` with it too, and what it does."""

    name: str
    usage: str
    summary: str


async def load_commands(url: str) -> tuple[Command, ...]:
    """Return the slash commands that the server lists at *url*; nothing when it does not."""
    try:
        async with httpx2.AsyncClient(timeout=_TIMEOUT_S, trust_env=not is_here(url)) as client:
            answer = await client.get(url)
            return parse_commands(answer.raise_for_status().content)
    except (httpx2.HTTPError, ValueError):
        return ()


def parse_commands(raw: bytes) -> tuple[Command, ...]:
    """Read the server's list, `[{"name", "usage", "summary"}]`, bare or below `data`.

    Raises:
        ValueError: *raw* is not such a list.
    """
    try:
        rows = msgspec.json.decode(raw, type=list[_Row] | _Envelope)
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from error
    return tuple(row.command for row in (rows if isinstance(rows, list) else rows.data))


def with_own(commands: Sequence[Command], words: Words) -> tuple[Command, ...]:
    """Return the server's *commands* and the client's own, by name."""
    own = {name: Command(f"/{name}", words(f"{name}.form"), words(f"{name}.about")) for name in OWN}
    others = (command for command in commands if command.name.removeprefix("/") not in own)
    return tuple(sorted((*others, *own.values()), key=lambda command: command.name))


def matching(text: str, commands: Sequence[Command]) -> tuple[Command, ...]:
    """Return the commands that *text* may be the beginning of, or the one that it uses."""
    name, _, arguments = text.partition(" ")
    name = name.lower()
    exact = tuple(command for command in commands if command.name == name)
    if exact or arguments:
        return exact
    return tuple(command for command in commands if command.name.startswith(name))


class _Row(msgspec.Struct):
    name: str
    usage: str = ""
    summary: str = ""

    @property
    def command(self) -> Command:
        name = "/" + self.name.removeprefix("/").lower()
        whole = self.usage.startswith("/")
        usage = self.usage if whole else f"{name} {self.usage}".rstrip()
        return Command(name, usage, self.summary)


class _Envelope(msgspec.Struct):
    data: list[_Row]
