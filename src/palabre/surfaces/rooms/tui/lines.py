"""Entries as lines of a fixed width: hour, nick, a rule, and the words with a hanging indent."""

import io
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from palabre.surfaces.rooms.tui import markdown
from palabre.surfaces.rooms.tui.color import is_grey, readable
from palabre.surfaces.rooms.tui.entry import Draft, Entry, Kind
from palabre.surfaces.rooms.tui.hygiene import clean
from palabre.surfaces.rooms.tui.theme import Palette

_CONSOLE = Console(file=io.StringIO(), width=80, color_system="truecolor", legacy_windows=False)
_SIGNS = {Kind.SYSTEM: "·", Kind.JOIN: "→", Kind.PART: "←", Kind.NOTE: "!"}
_MIN_BODY = 8
CURSOR = "▌"
CUT = "…"
UP, DOWN, PIN = "▲", "▼", "◆"
DRAFT_CHARACTERS = 4000
"""Of a growing reply, which is drawn anew at each chunk, only so many last ones are shown."""

_SPOKEN = (Kind.MESSAGE, Kind.MEDIA, Kind.CUT)


@dataclass(frozen=True, slots=True)
class Page:
    """What decides how lines look.

    Attributes:
        width: Cells of a line.
        nick: The reader's own, or None.
        colors: `#rrggbb` of each persona by its nick in lower case, already readable.
    """

    width: int
    palette: Palette
    nick: str | None
    colors: dict[str, str]

    @property
    def nick_width(self) -> int:
        """Cells of the nick column."""
        wide, narrow = 100, 50
        return 14 if self.width >= wide else 10 if self.width >= narrow else 8

    @property
    def indent(self) -> int:
        """Cells before the words."""
        return 1 + 5 + 1 + self.nick_width + 3

    @property
    def body_width(self) -> int:
        """Cells for the words."""
        return max(_MIN_BODY, self.width - self.indent)


def entry_lines(entry: Entry, page: Page) -> list[Text]:
    """Return the lines of *entry*; a divider's text must be in the reader's language."""
    if entry.kind is Kind.DIVIDER:
        return [rule(entry.text, page.palette.muted, page)]
    return _hang(_prefix(entry, page), _body(entry, page), page)


def draft_lines(draft: Draft, page: Page) -> list[Text]:
    """Return the last lines of a growing reply, with a cursor at its end."""
    hidden, tail = draft.text[:-DRAFT_CHARACTERS], draft.text[-DRAFT_CHARACTERS:]
    words = clean(tail).lstrip()
    if hidden or not draft.whole:
        words = CUT + words
    if markdown.ends_in_code(hidden):
        words = f"```\n{words}"
    body = markdown.render(words, page.palette, page.colors)
    color = _nick_color(draft.nick, draft.color, page)
    body.append(CURSOR, color)
    return _hang(_columns(" ", draft.hour, draft.nick, color, page), body, page)


def pending_lines(text: str, label: str, page: Page) -> list[Text]:
    """Return the lines of what the reader sent and the server has not said yet."""
    muted = page.palette.muted
    body = Text(f"{clean(text)} — {label}", muted)
    return _hang(_columns(" ", " " * 5, page.nick or "", muted, page), body, page)


def rule(label: str, color: str, page: Page) -> Text:
    """Return *label* in the middle of a horizontal rule."""
    words = f" {label} "
    left = max(2, (page.width - cell_len(words)) // 2)
    right = max(2, page.width - cell_len(words) - left)
    line = Text().append("─" * left, page.palette.rule)
    line.append(words, color).append("─" * right, page.palette.rule)
    line.truncate(page.width)
    return line


def _prefix(entry: Entry, page: Page) -> Text:
    if entry.kind in _SPOKEN:
        color = _nick_color(entry.nick, entry.color, page)
        mark = CURSOR if entry.mentions_me else " "
        return _columns(mark, entry.hour, entry.nick, color, page)
    color = page.palette.accent if entry.kind is Kind.NOTE else page.palette.muted
    return _columns(" ", entry.hour, _SIGNS[entry.kind], color, page)


def _columns(mark: str, hour: str, nick: str, color: str, page: Page) -> Text:
    width = page.nick_width
    short = nick if cell_len(nick) <= width else set_cell_size(nick, width - 1) + "…"
    prefix = Text().append(mark, page.palette.accent)
    prefix.append(f"{hour} ", page.palette.muted)
    prefix.append(" " * (width - cell_len(short)))
    return prefix.append(short, f"bold {color}").append(" │ ", page.palette.rule)


def _body(entry: Entry, page: Page) -> Text:
    if entry.kind in (Kind.MESSAGE, Kind.CUT):
        return markdown.render(entry.text, page.palette, page.colors) + _marks(entry, page)
    style = {
        Kind.SYSTEM: page.palette.system,
        Kind.NOTE: page.palette.accent,
        Kind.MEDIA: page.palette.text,
    }.get(entry.kind, page.palette.muted)
    return Text(entry.text, style)


def _marks(entry: Entry, page: Page) -> Text:
    """Return the reader's thumb and pin."""
    palette, marks = page.palette, Text()
    if entry.vote:
        sign, color = (UP, palette.good) if entry.vote == "up" else (DOWN, palette.bad)
        marks.append(f" {sign}", f"bold {color}")
    return marks.append(f" {PIN}", f"bold {palette.accent}") if entry.pinned else marks


def _hang(prefix: Text, body: Text, page: Page) -> list[Text]:
    """Put *prefix* before the first line of *body* and blanks before the others."""
    wrapped = body.wrap(_CONSOLE, page.body_width, overflow="fold") if body.plain else [Text()]
    rest = Text(" " * (page.indent - 2)).append("│ ", page.palette.rule)
    return [(rest if number else prefix) + line for number, line in enumerate(wrapped)]


def _nick_color(nick: str, color: str, page: Page) -> str:
    if nick == page.nick:
        return page.palette.accent
    return nick_color(color, page.palette)


def nick_color(color: str, palette: Palette) -> str:
    """Return the colour of a nick, readable; people's grey becomes the colour of text."""
    if not color or is_grey(color):
        return palette.text
    return readable(color, palette.background)
