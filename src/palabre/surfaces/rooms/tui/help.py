"""The page of keys and commands."""

from collections.abc import Sequence
from typing import ClassVar

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from palabre.surfaces.rooms.tui.commands import Command
from palabre.surfaces.rooms.tui.theme import Palette
from palabre.surfaces.rooms.tui.words import Words

_ROWS = (
    ("enter", "send"), ("newline", "newline"), ("arrows", "recall"), ("tab", "complete"),
    ("pages", "scroll"), ("ends", "ends"), ("stop", "stop"), ("clear", "clear"),
    ("people", "people"), ("roster", "roster"), ("theme", "theme"), ("retry", "retry"),
    ("thumbs", "thumbs"), ("pin", "pin"),
    ("quit", "quit"),
)  # fmt: skip


class HelpScreen(ModalScreen[None]):
    """Keys and commands; Escape leaves."""

    DEFAULT_CSS = """
    HelpScreen { align: center middle; background: $background 60%; }
    HelpScreen > VerticalScroll {
        width: 76; max-width: 100%; height: auto; max-height: 100%; padding: 0 2;
        background: $surface; border: round $accent; border-title-color: $accent;
        scrollbar-size-vertical: 1; scrollbar-background: $surface;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,ctrl+g,q", "dismiss", show=False),
    ]

    def __init__(self, palette: Palette, words: Words, commands: Sequence[Command]) -> None:
        super().__init__()
        self._palette = palette
        self._words = words
        self._commands = commands

    def compose(self) -> ComposeResult:
        """Lay out the page."""
        page = VerticalScroll(Static(self._page(), markup=False))
        page.border_title = self._words("help.title")
        yield page

    def _page(self) -> RenderableType:
        words, palette = self._words, self._palette
        keys = ((words(f"key.{key}"), words(f"help.{what}")) for key, what in _ROWS)
        return Group(
            _table(tuple(keys), palette),
            Text(f"\n{words('help.mouse')}\n", palette.muted),
            *self._command_list(),
            Text(f"\n{words('help.close')}", palette.muted),
        )

    def _command_list(self) -> tuple[RenderableType, ...]:
        if not self._commands:
            return ()
        title = Text(self._words("help.commands"), f"bold {self._palette.text}")
        rows = tuple((command.usage, command.summary) for command in self._commands)
        return title, _table(rows, self._palette)


def _table(rows: tuple[tuple[str, str], ...], palette: Palette) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style=f"bold {palette.accent}")
    table.add_column(style=palette.text)
    for left, right in rows:
        table.add_row(Text(left), Text(right))
    return table
