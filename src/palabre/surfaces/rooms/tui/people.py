"""The list of who is here."""

from collections.abc import Sequence

from rich.text import Text
from textual.containers import VerticalScroll
from textual.widgets import Static

from palabre.surfaces.rooms.tui.lines import nick_color
from palabre.surfaces.rooms.tui.session import Session
from palabre.surfaces.rooms.tui.theme import Palette
from palabre.surfaces.rooms.tui.words import Words

WIDE_CELLS = 100


class PeoplePanel(VerticalScroll, can_focus=False):
    """People, then personas in their colours; those who write carry a mark."""

    DEFAULT_CSS = """
    PeoplePanel {
        width: 20; padding: 0 1; border-left: solid $rule; background: $background;
        scrollbar-size-vertical: 1;
        &.-wide { width: 28; }
    }
    """

    def __init__(self) -> None:
        self._list = Static(id="people-list", markup=False)
        super().__init__(self._list, id="people")

    def show(self, session: Session, palette: Palette, words: Words) -> None:
        """Show who is in *session*."""
        self.set_class(self.app.size.width >= WIDE_CELLS, "-wide")
        shown = Text(no_wrap=True, overflow="ellipsis")
        _heading(shown, words("people"), len(session.people), palette)
        _rows(shown, session.people, session, palette, words)
        shown.append("\n")
        _heading(shown, words("personas"), len(session.present_personas), palette)
        _rows(shown, session.present_personas, session, palette, words)
        self._list.update(shown)


def _heading(shown: Text, title: str, count: int, palette: Palette) -> None:
    shown.append(f"{title} ", f"bold {palette.text}").append(f"{count}\n", palette.muted)


def _rows(
    shown: Text, nicks: Sequence[str], session: Session, palette: Palette, words: Words
) -> None:
    writers = session.writers
    for nick in nicks:
        shown.append("✎ " if nick in writers else "  ", palette.accent)
        shown.append(nick, _color(nick, session, palette))
        if nick == session.nick:
            shown.append(f" ({words('you')})", palette.muted)
        shown.append("\n")


def _color(nick: str, session: Session, palette: Palette) -> str:
    if nick == session.nick:
        return palette.accent
    return nick_color(session.personas.get(nick, ""), palette)
