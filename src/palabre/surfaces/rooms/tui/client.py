"""The terminal client: a Textual application around one conversation."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from textual.app import App

from palabre.surfaces.rooms.tui.commands import Command, with_own
from palabre.surfaces.rooms.tui.conversation import Conversation
from palabre.surfaces.rooms.tui.screen import ChatScreen
from palabre.surfaces.rooms.tui.theme import PALETTES, ThemeName, theme_id
from palabre.surfaces.rooms.tui.words import Words

LoadCommands: TypeAlias = Callable[[], Awaitable[tuple[Command, ...]]]
"""Returns what the server offers; nothing when it does not say."""


class TerminalClient(App[None]):
    """Chat on the full screen of a terminal."""

    ENABLE_COMMAND_PALETTE = False
    TITLE = "Palabre"

    def __init__(
        self,
        conversation: Conversation,
        words: Words,
        load_commands: LoadCommands,
        theme: ThemeName = "dark",
    ) -> None:
        super().__init__()
        self.animation_level = "none"
        self._load_commands = load_commands
        self._words = words
        self._asked_on = 0
        self._look: ThemeName = theme
        self.conversation = conversation
        self.chat = ChatScreen(conversation, PALETTES[theme], words)
        for palette in PALETTES.values():
            self.register_theme(palette.theme)
        self.theme = theme_id(theme)

    def on_mount(self) -> None:
        """Show the conversation and connect."""
        self.push_screen(self.chat)
        self.conversation.changed = self._changed
        self.set_interval(1, self.conversation.tick)
        self.run_worker(self.conversation.run())

    def action_toggle_theme(self) -> None:
        """Change from dark to light and back."""
        self._look = "light" if self._look == "dark" else "dark"
        self.theme = theme_id(self._look)
        self.chat.palette = PALETTES[self._look]
        self.chat.redraw()

    def action_help_quit(self) -> None:
        """Ctrl+C with nothing selected: say how to leave."""
        self.chat.say_quit()

    def _changed(self) -> None:
        self.chat.redraw_soon()
        connects = self.conversation.session.connects
        if self.conversation.link.connected and self._asked_on < connects:
            self._asked_on = connects
            self.run_worker(self._learn_commands())

    async def _learn_commands(self) -> None:
        commands = await self._load_commands()
        if commands:
            self.chat.commands = with_own(commands, self._words)
            self.chat.redraw()
