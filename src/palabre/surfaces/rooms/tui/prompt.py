"""The input: several lines, history, completion."""

from collections.abc import Callable

from textual import events
from textual.message import Message
from textual.widgets import TextArea

from palabre.surfaces.rooms.tui.completion import Choices, Completer, Completion
from palabre.surfaces.rooms.tui.history import History


class Prompt(TextArea):
    """Where the user writes.

    Its keys are handled here and not as bindings: a binding runs after the keys that a fast
    typist pressed next.

    Args:
        submit: Takes the text when Enter is pressed; returns False to leave it in the input.
    """

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

    class Completed(Message):
        """Tab was pressed; None when nothing fits."""

        def __init__(self, completion: Completion | None) -> None:
            self.completion = completion
            super().__init__()

    def __init__(self, submit: Callable[[str], bool]) -> None:
        super().__init__(id="prompt", compact=True, highlight_cursor_line=False)
        self.choices = Choices((), (), ())
        self._submit = submit
        self._completer = Completer()
        self._history = History()
        self._keys: dict[str, Callable[[], None]] = {
            "enter": self._send,
            "ctrl+j": self._break_line,
            "alt+enter": self._break_line,
            "shift+enter": self._break_line,
            "up": self._go_up,
            "down": self._go_down,
            "tab": self._complete,
            "shift+tab": lambda: self._complete(back=True),
        }

    async def _on_key(self, event: events.Key) -> None:
        act = self._keys.get(event.key)
        if act is None:
            await super()._on_key(event)
            return
        event.stop()
        event.prevent_default()
        act()

    def _send(self) -> None:
        text = self.text.strip()
        if text and self._submit(text):
            self._history.add(text)
            self.clear()

    def _break_line(self) -> None:
        self._replace_via_keyboard("\n", *self.selection)

    def _go_up(self) -> None:
        """Go up, and beyond the first line to what was sent before."""
        if not self.navigator.is_first_wrapped_line(self.cursor_location):
            self.action_cursor_up()
        elif (text := self._history.older(self.text)) is not None:
            self._put(text, len(text))

    def _go_down(self) -> None:
        """Go down, and beyond the last line to what was sent after."""
        if not self.navigator.is_last_wrapped_line(self.cursor_location):
            self.action_cursor_down()
        elif (text := self._history.newer()) is not None:
            self._put(text, len(text))

    def _complete(self, *, back: bool = False) -> None:
        cursor = len(self.get_text_range((0, 0), self.cursor_location))
        completion = self._completer.press(self.text, cursor, self.choices, back=back)
        if completion:
            self._put(completion.text, completion.cursor)
        self.post_message(self.Completed(completion))

    def _put(self, text: str, cursor: int) -> None:
        self.text = text
        before = text[:cursor]
        self.move_cursor((before.count("\n"), cursor - before.rfind("\n") - 1))
