"""The conversation on the full screen."""

from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Static, TextArea

from palabre.surfaces.rooms.tui import banner
from palabre.surfaces.rooms.tui.color import readable
from palabre.surfaces.rooms.tui.commands import Command, matching
from palabre.surfaces.rooms.tui.completion import Choices
from palabre.surfaces.rooms.tui.conversation import STOP, Conversation
from palabre.surfaces.rooms.tui.entry import Entry, Kind
from palabre.surfaces.rooms.tui.help import HelpScreen
from palabre.surfaces.rooms.tui.lines import Page
from palabre.surfaces.rooms.tui.log import Contents, MessageLog
from palabre.surfaces.rooms.tui.people import PeoplePanel
from palabre.surfaces.rooms.tui.prompt import Prompt
from palabre.surfaces.rooms.tui.theme import Palette
from palabre.surfaces.rooms.tui.verdicts import VerdictWish, Vote
from palabre.surfaces.rooms.tui.words import Words
from palabre.wire.rooms import MAX_TEXT

REDRAW_S = 1 / 20
"""Chunks that arrive within this time are drawn together."""

NARROW_CELLS = 80
NEARLY_FULL = MAX_TEXT - 500


class ChatScreen(Screen[None]):
    """Log, people, who writes, input, keys."""

    DEFAULT_CSS = """
    ChatScreen { background: $background; }
    ChatScreen #banner { height: 1; background: $panel; }
    ChatScreen #middle { height: 1fr; }
    ChatScreen #log { width: 1fr; background: $background; }
    ChatScreen #hint { height: 1; }
    ChatScreen #input { height: auto; border-top: solid $rule; }
    ChatScreen #sign { width: auto; color: $accent; padding: 0 1; }
    ChatScreen #keys { height: 1; background: $panel; }
    ChatScreen #people.-hidden { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1,ctrl+g", "show_help", show=False, priority=True),
        Binding("f2", "toggle_people", show=False, priority=True),
        Binding("f3", "app.toggle_theme", show=False, priority=True),
        Binding("f5", "retry", show=False, priority=True),
        Binding("f4", "judge('pin')", show=False, priority=True),
        Binding("f8", "judge('up')", show=False, priority=True),
        Binding("f9", "judge('down')", show=False, priority=True),
        Binding("escape", "stop_if_any", show=False, priority=True),
        Binding("ctrl+x", "stop", show=False, priority=True),
        Binding("ctrl+l", "clear", show=False, priority=True),
        Binding("pageup", "page(-1)", show=False, priority=True),
        Binding("pagedown", "page(1)", show=False, priority=True),
        Binding("alt+up", "scroll_people(-5)", show=False, priority=True),
        Binding("alt+down", "scroll_people(5)", show=False, priority=True),
        Binding("ctrl+home", "start", show=False, priority=True),
        Binding("ctrl+end", "end", show=False, priority=True),
    ]

    def __init__(self, conversation: Conversation, palette: Palette, words: Words) -> None:
        super().__init__()
        self.conversation = conversation
        self.palette = palette
        self.words = words
        self.commands: tuple[Command, ...] = ()
        self._flash: Text | None = None
        self._people_wanted: bool | None = None
        self._redraw_due = False

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield Static(id="banner", markup=False)
        with Horizontal(id="middle"):
            yield MessageLog()
            yield PeoplePanel()
        yield Static(id="hint", markup=False)
        with Horizontal(id="input"):
            yield Static("›", id="sign", markup=False)
            yield Prompt(self.send)
        yield Static(id="keys", markup=False)

    def on_mount(self) -> None:
        """Begin with the cursor in the input."""
        self.query_one(Prompt).focus()
        self.watch(self.app, "app_focus", self._watch)
        self.redraw()

    def on_resize(self) -> None:
        """Lay out anew for another width."""
        self.call_after_refresh(self.redraw)

    # Drawing

    def redraw_soon(self) -> None:
        """Draw within REDRAW_S what changed."""
        if not self._redraw_due and self.is_mounted:
            self._redraw_due = True
            self.set_timer(REDRAW_S, self.redraw)

    def redraw(self) -> None:
        """Draw everything anew; cheap, as lines keep their wrapping."""
        self._redraw_due = False
        session, width = self.conversation.session, self.size.width
        people = self.query_one(PeoplePanel)
        people.set_class(not self._people_shown, "-hidden")
        people.show(session, self.palette, self.words)
        link = self.conversation.link
        self._static("banner").update(banner.banner(session, link, self.palette, self.words, width))
        self._static("keys").update(banner.key_bar(self.palette, self.words, width))
        self._draw_prompt()
        self._draw_hint()
        self.call_after_refresh(self._draw_log)

    def _draw_log(self) -> None:
        log, session = self.query_one(MessageLog), self.conversation.session
        mark = None if session.first_unread is None else self.words("divider.new")
        contents = Contents(
            tuple(self._in_words(entry) for entry in session.entries),
            tuple(session.drafts.values()),
            session.waiting,
            self.words("waiting"),
            mark,
            session.first_unread,
        )
        log.show(contents, self._page(log))

    def _in_words(self, entry: Entry) -> Entry:
        if entry.kind is not Kind.DIVIDER or entry.text.startswith("#"):
            return entry
        return Entry(entry.id, entry.kind, self.words(f"divider.{entry.text}"), entry.hour)

    def _page(self, log: MessageLog) -> Page:
        session, background = self.conversation.session, self.palette.background
        colors = {
            nick.lower(): readable(color, background)
            for nick, color in session.personas.items()
            if color
        }
        return Page(max(1, log.scrollable_content_region.width), self.palette, session.nick, colors)

    def _draw_prompt(self) -> None:
        session, prompt = self.conversation.session, self.query_one(Prompt)
        narrow = self.size.width < NARROW_CELLS
        prompt.placeholder = self.words("placeholder_short" if narrow else "placeholder")
        others = tuple(nick for nick in session.people if nick != session.nick)
        prompt.choices = Choices(others, session.present_personas, self.commands)

    def _draw_hint(self) -> None:
        self._static("hint").update(self._flash or self._hint())

    def _hint(self) -> Text:
        text, session = self.query_one(Prompt).text, self.conversation.session
        if self.commands and text.startswith("/") and "\n" not in text:
            return banner.command_hint(matching(text, self.commands), self.palette, self.words)
        if len(text) > NEARLY_FULL:
            color = self.palette.bad if len(text) > MAX_TEXT else self.palette.muted
            return Text(" " + self.words("length", count=len(text), limit=MAX_TEXT), color)
        if session.unread:
            return Text(" ↓ " + self.words.count("unread.", session.unread), self.palette.accent)
        if not self.query_one(MessageLog).following:
            return Text(" ↓ " + self.words("unread.paused"), self.palette.muted)
        may_rename = session.wanted_nick is None and not session.by_account
        if session.nick and may_rename and not session.writers:
            return Text(" " + self.words("nick_how", nick=session.nick), self.palette.muted)
        return banner.writing(session, self.palette, self.words)

    def _static(self, name: str) -> Static:
        return self.query_one(f"#{name}", Static)

    @property
    def _people_shown(self) -> bool:
        if self._people_wanted is None:
            return self.size.width >= NARROW_CELLS
        return self._people_wanted

    # What the user does

    def send(self, text: str) -> bool:
        """Send *text*; when that cannot be, say why and return False."""
        if len(text) > MAX_TEXT:
            self._say(self.words("too_long", count=len(text), limit=MAX_TEXT))
            return False
        if not self.conversation.say(text):
            self._say(self.words("offline"))
            return False
        self.query_one(MessageLog).to_end()
        self.redraw_soon()
        return True

    def say_quit(self) -> None:
        """Say how to leave."""
        self._say(self.words("quit_how"))

    @on(Prompt.Completed)
    def show_choices(self, event: Prompt.Completed) -> None:
        """Show what else the word may become."""
        if event.completion and len(event.completion.choices) > 1:
            self._flash = banner.completion_hint(event.completion, self.palette)
            self._draw_hint()

    @on(TextArea.Changed)
    def forget_flash(self) -> None:
        """A text that is written on needs no remark."""
        self._flash = None
        self._draw_hint()

    @on(MessageLog.Followed)
    def watch_end(self) -> None:
        """What is out of sight counts as unread."""
        self._watch()

    def _watch(self) -> None:
        watched = self.app.app_focus and self.query_one(MessageLog).following
        self.conversation.session.watch(watched=watched)
        self._draw_hint()

    def _say(self, text: str) -> None:
        self._flash = Text(f" {text}", self.palette.accent)
        self._draw_hint()

    def action_show_help(self) -> None:
        """Show keys and commands."""
        self.app.push_screen(HelpScreen(self.palette, self.words, self.commands))

    def action_toggle_people(self) -> None:
        """Show or hide who is here, whatever the width."""
        self._people_wanted = not self._people_shown
        self.redraw()

    def action_scroll_people(self, rows: int) -> None:
        """Move in the list of who is here."""
        self.query_one(PeoplePanel).scroll_relative(y=rows, animate=False)

    def action_retry(self) -> None:
        """Connect at once."""
        self.conversation.retry()

    def action_judge(self, vote: Vote) -> None:
        """Say what one thinks of the last answer."""
        self.conversation.judge(VerdictWish(vote))
        self.redraw()

    def action_stop_if_any(self) -> None:
        """Stop the replies, if somebody is writing."""
        if self.conversation.session.writers:
            self.action_stop()

    def action_stop(self) -> None:
        """Stop the replies that we asked for."""
        if not self.conversation.say(STOP):
            self._say(self.words("offline"))

    def action_clear(self) -> None:
        """Clear the log, for this reader alone."""
        self.conversation.session.clear()
        self.redraw()

    def action_page(self, screens: int) -> None:
        """Scroll the log."""
        self.query_one(MessageLog).page_by(screens)

    def action_start(self) -> None:
        """Go to the oldest message."""
        self.query_one(MessageLog).to_start()

    def action_end(self) -> None:
        """Go back to the newest message."""
        self.query_one(MessageLog).to_end()
