"""The first line, the line above the input, and the keys below it."""

from rich.cells import cell_len
from rich.text import Text

from palabre.surfaces.rooms.tui.commands import Command
from palabre.surfaces.rooms.tui.completion import Completion
from palabre.surfaces.rooms.tui.lines import nick_color
from palabre.surfaces.rooms.tui.link import Link, Status
from palabre.surfaces.rooms.tui.session import Session
from palabre.surfaces.rooms.tui.theme import Palette
from palabre.surfaces.rooms.tui.words import Words

_SIGNS = {Status.CONNECTED: "●", Status.RECONNECTING: "◌", Status.DISCONNECTED: "○"}
_KEYS = (
    ("F1", "help"), ("^Q", "quit"), ("Tab", "complete"), ("escape", "stop"), ("F2", "people"),
    ("F3", "theme"), ("^L", "clear"),
)  # fmt: skip


def banner(session: Session, link: Link, palette: Palette, words: Words, width: int) -> Text:
    """Return the first line: where we are, who we are, how the connection stands."""
    left = Text().append(" Palabre ", f"bold {palette.background} on {palette.accent}")
    left.append(f" {session.channel}", f"bold {palette.text}")
    right = Text()
    if session.nick:
        right.append(session.nick, palette.accent).append("  ")
    color = {Status.CONNECTED: palette.good, Status.DISCONNECTED: palette.bad}
    state = Text(
        f"{_SIGNS[link.status]} {link.spoken(words)} ", color.get(link.status, palette.accent)
    )
    room = width - left.cell_len - 1
    right = right + state if right.cell_len + state.cell_len <= room else state
    right.truncate(max(0, room), overflow="ellipsis")
    gap = max(1, width - left.cell_len - right.cell_len)
    return left.append(" " * gap).append_text(right)


def writing(session: Session, palette: Palette, words: Words) -> Text:
    """Return who is writing, or nothing."""
    writers = session.writers
    if not writers:
        return Text()
    line = Text().append(" ✎ ", palette.accent)
    spoken = words(f"writing.{'one' if len(writers) == 1 else 'many'}", nicks=words.listed(writers))
    line.append(spoken, palette.muted)
    for nick in writers:
        color = nick_color(session.personas.get(nick, ""), palette)
        line.highlight_words([nick], f"bold {color}")
    return line


def command_hint(commands: tuple[Command, ...], palette: Palette, words: Words) -> Text:
    """Return how to use the command that is being typed, or which it may become."""
    if not commands:
        return Text(f" {words('no_command')}", palette.muted)
    if len(commands) > 1:
        return Text(" " + "  ".join(command.name for command in commands), palette.muted)
    line = Text().append(f" {commands[0].usage}", f"bold {palette.text}")
    return line.append(f"  {commands[0].summary}", palette.muted)


def completion_hint(completion: Completion, palette: Palette) -> Text:
    """Return the choices of a completion, the chosen one marked."""
    line = Text(" ")
    for number, choice in enumerate(completion.choices):
        chosen = number == completion.chosen
        line.append(choice, f"bold {palette.accent}" if chosen else palette.muted).append("  ")
    return line


def key_bar(palette: Palette, words: Words, width: int) -> Text:
    """Return the keys that fit in *width*, the most needed first."""
    line = Text()
    for key, code in _KEYS:
        name = words("keys.escape") if key == "escape" else key
        what = words(f"keys.{code}")
        if line.cell_len + cell_len(f" {name} {what} ") > width:
            break
        line.append(f" {name}", f"bold {palette.accent}").append(f" {what} ", palette.muted)
    return line
