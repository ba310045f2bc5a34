"""The message log: lines of text drawn on demand, however long the conversation."""

from dataclasses import dataclass
from itertools import accumulate

from rich.text import Text
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from palabre.surfaces.rooms.tui.entry import Draft, Entry
from palabre.surfaces.rooms.tui.lines import Page, draft_lines, entry_lines, pending_lines, rule


@dataclass(frozen=True, slots=True)
class Contents:
    """What the log shows.

    Attributes:
        entries: In order; dividers already in the reader's language.
        drafts: Growing replies, below the entries.
        pending: What the reader sent and nobody has seen yet, below the replies.
        pending_label: What is said of it.
        mark: Label of the rule above entry `mark_above`; None for no rule.
    """

    entries: tuple[Entry, ...] = ()
    drafts: tuple[Draft, ...] = ()
    pending: tuple[str, ...] = ()
    pending_label: str = ""
    mark: str | None = None
    mark_above: int | None = None


class MessageLog(ScrollView, can_focus=False):
    """Shows `Contents`; follows its end until the reader scrolls up."""

    ALLOW_SELECT = True
    DEFAULT_CSS = """
    MessageLog { overflow-x: hidden; overflow-y: scroll; scrollbar-size-vertical: 1; }
    """

    class Followed(Message):
        """The reader reached or left the end of the log."""

        def __init__(self, *, at_end: bool) -> None:
            self.at_end = at_end
            super().__init__()

    def __init__(self) -> None:
        super().__init__(id="log")
        self.following = True
        self._contents = Contents()
        self._page: Page | None = None
        self._wrapped: dict[Entry, list[Text]] = {}
        self._lines: list[Text] = []
        self._starts: dict[int, int] = {}

    @property
    def allow_select(self) -> bool:
        """Text can be selected with the mouse, to be copied."""
        return True

    def show(self, contents: Contents, page: Page) -> None:
        """Show *contents* on *page*, keeping the reader's place."""
        if page != self._page:
            self._wrapped.clear()
        place = self._place()
        self._contents, self._page = contents, page
        self._lay_out(contents, page)
        self.virtual_size = Size(page.width, len(self._lines))
        self._return_to(place)
        self.refresh()

    def page_by(self, screens: float) -> None:
        """Scroll by a part of what is visible; upwards when negative."""
        rows = max(1, int(abs(screens) * self.size.height) - 1)
        self._scroll_lines(-rows if screens < 0 else rows)

    def to_end(self) -> None:
        """Go to the end and follow it again."""
        self.scroll_to(y=self.max_scroll_y, animate=False, immediate=True)
        self._follow(at_end=True)

    def to_start(self) -> None:
        """Go to the oldest line."""
        self._scroll_lines(-len(self._lines))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow the end exactly while it is in sight, however the reader scrolled."""
        super().watch_scroll_y(old_value, new_value)
        if self._page is not None:
            self._follow(at_end=new_value >= self.max_scroll_y)

    def render_line(self, y: int) -> Strip:
        """Draw the line at *y* of what is visible."""
        number = self.scroll_offset.y + y
        base = self.rich_style
        if number >= len(self._lines):
            return Strip.blank(self.size.width, base)
        line = self._selected(number, self._lines[number])
        strip = Strip(line.render(self.app.console), line.cell_len).apply_style(base)
        return strip.crop_extend(0, self.size.width, base).apply_offsets(0, number)

    def get_selection(self, selection: Selection) -> tuple[str, str]:
        """Return the selected text and what ends it."""
        return selection.extract("\n".join(line.plain for line in self._lines)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:  # noqa: ARG002 - Textual's hook
        """Draw again when the selection changes."""
        self.refresh()

    def _lay_out(self, contents: Contents, page: Page) -> None:
        kept = self._wrapped
        self._wrapped = {
            entry: kept.get(entry) or entry_lines(entry, page) for entry in contents.entries
        }
        blocks = [self._block(entry, contents, page) for entry in contents.entries]
        growing = [draft_lines(draft, page) for draft in contents.drafts]
        growing += [pending_lines(t, contents.pending_label, page) for t in contents.pending]
        blank = max(0, self.size.height - sum(map(len, (*blocks, *growing))))
        starts = accumulate((len(block) for block in blocks), initial=blank)
        ids = (entry.id for entry in contents.entries)
        self._starts = dict(zip(ids, starts, strict=False))
        # A short conversation stands at the bottom, next to the input.
        self._lines = [Text() for _ in range(blank)]
        self._lines += [line for block in (*blocks, *growing) for line in block]
        for line in self._lines:
            line.end = ""

    def _block(self, entry: Entry, contents: Contents, page: Page) -> list[Text]:
        lines = self._wrapped[entry]
        if contents.mark and entry.id == contents.mark_above:
            return [rule(contents.mark, page.palette.accent, page), *lines]
        return lines

    def _place(self) -> tuple[int, int] | None:
        """Return the entry at the top and the line in it; None while the end is followed."""
        if self.following:
            return None
        top = round(self.scroll_y)
        above = [(start, entry) for entry, start in self._starts.items() if start <= top]
        if not above:
            return None
        start, entry = above[-1]
        return entry, top - start

    def _return_to(self, place: tuple[int, int] | None) -> None:
        if place is None:
            if self.following:
                self.scroll_to(y=self.max_scroll_y, animate=False, immediate=True)
            return
        entry, line = place
        y = self._starts.get(entry, 0) + line
        self.scroll_to(y=y, animate=False, immediate=True)

    def _scroll_lines(self, rows: int) -> None:
        self.scroll_to(y=self.scroll_y + rows, animate=False, immediate=True)

    def _follow(self, *, at_end: bool) -> None:
        if at_end != self.following:
            self.following = at_end
            self.post_message(self.Followed(at_end=at_end))

    def _selected(self, number: int, line: Text) -> Text:
        selection = self.text_selection
        span = selection.get_span(number) if selection else None
        if span is None:
            return line
        start, end = span
        shown = line.copy()
        style = self.screen.get_component_rich_style("screen--selection")
        shown.stylize(style, start, None if end == -1 else end)
        return shown
