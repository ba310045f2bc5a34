"""The input: several lines, history, completion."""

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from palabre.surfaces.rooms.tui.completion import Choices, Completer, Completion
from palabre.surfaces.rooms.tui.history import History


class Prompt(TextArea):
    """Where the user writes. Enter sends; the text stays until `accept`."""

    DEFAULT_CSS = """
    Prompt {
        height: auto; max-height: 6; border: none; padding: 0;
        background: $background; color: $foreground;
        scrollbar-size-vertical: 1;
        &:focus { border: none; background-tint: transparent 0%; }
        & .text-area--cursor-line { background: $background; }
        & .text-area--placeholder { color: $muted; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", show=False),
        Binding("shift+tab", "complete(True)", show=False),
        Binding("up", "older", show=False),
        Binding("down", "newer", show=False),
        Binding("ctrl+j,alt+enter,shift+enter", "newline", show=False),
    ]

    class Submitted(Message):
        """The user wants to send `text`."""

        def __init__(self, text: str) -> None:
            self.text = text
            super().__init__()

    class Completed(Message):
        """Tab was pressed; None when nothing fits."""

        def __init__(self, completion: Completion | None) -> None:
            self.completion = completion
            super().__init__()

    def __init__(self) -> None:
        super().__init__(id="prompt", compact=True, highlight_cursor_line=False)
        self.choices = Choices((), (), ())
        self._completer = Completer()
        self._history = History()

    def accept(self) -> None:
        """Remember the text as sent and empty the input."""
        self._history.add(self.text.strip())
        self.clear()

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            if self.text.strip():
                self.post_message(self.Submitted(self.text.strip()))
            return
        await super()._on_key(event)

    def action_newline(self) -> None:
        """Begin a new line."""
        self._replace_via_keyboard("\n", *self.selection)

    def action_older(self) -> None:
        """Go up, and beyond the first line to what was sent before."""
        if not self.navigator.is_first_wrapped_line(self.cursor_location):
            self.action_cursor_up()
        elif (text := self._history.older(self.text)) is not None:
            self._put(text, len(text))

    def action_newer(self) -> None:
        """Go down, and beyond the last line to what was sent after."""
        if not self.navigator.is_last_wrapped_line(self.cursor_location):
            self.action_cursor_down()
        elif (text := self._history.newer()) is not None:
            self._put(text, len(text))

    def action_complete(self, back: bool = False) -> None:  # noqa: FBT001, FBT002 - Textual calls it so
        """Complete the word at the cursor."""
        cursor = len(self.get_text_range((0, 0), self.cursor_location))
        completion = self._completer.press(self.text, cursor, self.choices, back=back)
        if completion:
            self._put(completion.text, completion.cursor)
        self.post_message(self.Completed(completion))

    def _put(self, text: str, cursor: int) -> None:
        self.text = text
        before = text[:cursor]
        self.move_cursor((before.count("\n"), cursor - before.rfind("\n") - 1))
