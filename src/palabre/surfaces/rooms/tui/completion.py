"""Completion with the Tab key: commands, `@nicks` and nicks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from palabre.surfaces.rooms.tui.commands import Command

_CLOSING = frozenset(",.;:!?)]}'\"»")


@dataclass(frozen=True, slots=True)
class Completion:
    """The input after a press of Tab.

    Attributes:
        cursor: Index in `text`.
        choices: All that would fit; `chosen` is the index of the one in `text`.
    """

    text: str
    cursor: int
    choices: tuple[str, ...]
    chosen: int


class Completer:
    """Completes the word at the cursor; pressed again, takes the next choice."""

    def __init__(self) -> None:
        self._last: Completion | None = None
        self._head = ""
        self._tail = ""

    def press(
        self, text: str, cursor: int, choices_for: "Choices", *, back: bool = False
    ) -> Completion | None:
        """Return the input after Tab (or Shift+Tab), or None when nothing fits."""
        last = self._last
        if last and (last.text, last.cursor) == (text, cursor):
            step = -1 if back else 1
            return self._take(last.choices, (last.chosen + step) % len(last.choices))
        head, word = _word_before(text, cursor)
        choices = choices_for.of(head, word)
        if not choices:
            return None
        self._head, self._tail = head, text[cursor:]
        return self._take(choices, len(choices) - 1 if back else 0)

    def _take(self, choices: tuple[str, ...], chosen: int) -> Completion:
        tail = self._tail.removeprefix(" ")
        blank = "" if tail[:1] in _CLOSING else " "
        before = f"{self._head}{choices[chosen]}{blank}"
        self._last = Completion(before + tail, len(before), choices, chosen)
        return self._last


@dataclass(frozen=True, slots=True)
class Choices:
    """What can be completed at the moment."""

    people: Sequence[str]
    personas: Sequence[str]
    commands: Sequence[Command]

    def of(self, head: str, word: str) -> tuple[str, ...]:
        """Return what *word* may become, after *head* of the same input."""
        if not word:
            return ()
        if word.startswith("/") and not head:
            return _beginning(word, (command.name for command in self.commands))
        names = (*self.personas, *self.people)
        if word.startswith("@"):
            return _beginning(word, (f"@{name}" for name in names))
        if head.startswith("/"):
            return _beginning(word, names)
        return _addressed(word, self.personas) + _beginning(word, self.people)


def _word_before(text: str, cursor: int) -> tuple[str, str]:
    before = text[:cursor]
    start = max(before.rfind(blank) for blank in " \n\t") + 1
    return before[:start], before[start:]


def _beginning(word: str, names: Iterable[str]) -> tuple[str, ...]:
    folded = word.casefold()
    return tuple(sorted((n for n in names if n.casefold().startswith(folded)), key=str.casefold))


def _addressed(word: str, personas: Sequence[str]) -> tuple[str, ...]:
    """A persona only answers to `@Name`: its bare beginning becomes that."""
    return tuple(f"@{name}" for name in _beginning(word, personas))
