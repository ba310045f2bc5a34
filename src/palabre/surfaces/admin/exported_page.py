"""What was said in a channel as one page of HTML that needs nothing else."""

import re
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from html import escape

from palabre.core.history.model import SYSTEM, Line
from palabre.kernel.text import text
from palabre.texts import Language, say

PALETTE = (
    *("#4fc3f7", "#ef5350", "#ab47bc", "#66bb6a", "#ffd54f", "#ff69b4", "#42a5f5", "#ff7043"),
    *("#26c6da", "#8d6e63", "#ffab40", "#b0bec5", "#69f0ae", "#f48fb1", "#9575cd"),
)
"""Colours of those who are no personas: by the hash of their names (facts of seed 000, 3.3)."""

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
MAX_COLORS = 1000
"""Of names that are remembered while a page is written."""

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_COLOR = re.compile(r"#[0-9a-fA-F]{6}")

_STYLE = """
:root { color-scheme: dark light; --back: #101418; --text: #d8dee4; --dim: #8b98a5; --mix: white; }
@media (prefers-color-scheme: light) {
  :root { --back: #fcfcfa; --text: #1c2126; --dim: #5b6670; --mix: black; }
}
body { background: var(--back); color: var(--text); max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem; font: 15px/1.5 ui-monospace, monospace; }
h1 { font-size: 1.2rem; } h2 { font-size: 1rem; color: var(--dim); margin: 2rem 0 .5rem; }
p { margin: .15rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
time { color: var(--dim); }
b { color: color-mix(in srgb, var(--c) 72%, var(--mix)); }
.s { color: var(--dim); font-style: italic; }
"""


@dataclass(slots=True)
class ExportedPage:
    """A page that is written piece by piece.

    Attributes:
        color_of: Returns a persona's colour by its nick; None for others.
    """

    channel: str
    language: Language
    color_of: Callable[[str], str | None]
    _day: date | None = field(default=None, init=False)
    _colors: dict[str, str] = field(default_factory=dict, init=False)

    async def pieces(self, lines: AsyncIterator[Sequence[Line]]) -> AsyncIterator[bytes]:
        """Yield the page; *lines* come oldest first."""
        yield self._head().encode()
        async for piece in lines:
            yield "".join(map(self._line, piece)).encode("utf-8", "replace")
        yield self._foot().encode()

    def _head(self) -> str:
        title = _safe(self._say("title", channel=self.channel))
        return (
            f'<!doctype html>\n<html lang="{self.language}">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        )

    def _line(self, line: Line) -> str:
        said_at = f"<time>{line.at:%H:%M:%S}</time>"
        if line.kind == SYSTEM:
            shown = f'<p class="s" dir="auto">{said_at} {_safe(line.text)}</p>\n'
        else:
            color = self._color(line.nick)
            nick = f'<b dir="auto" style="--c:{color}">{_safe(line.nick)}</b>'
            shown = f'<p>{said_at} {nick} <span dir="auto">{_safe(line.text)}</span></p>\n'
        return self._heading(line.day) + shown

    def _heading(self, day: date) -> str:
        if day == self._day:
            return ""
        self._day = day
        return f"<h2>{day.isoformat()}</h2>\n"

    def _foot(self) -> str:
        nothing = f"<p>{_safe(self._say('empty'))}</p>\n" if self._day is None else ""
        return f"{nothing}</body>\n</html>\n"

    def _color(self, nick: str) -> str:
        if len(self._colors) > MAX_COLORS:
            self._colors.clear()
        if nick not in self._colors:
            found = self.color_of(nick) or ""
            self._colors[nick] = found if _COLOR.fullmatch(found) else palette_color(nick)
        return self._colors[nick]

    def _say(self, code: str, **values: str) -> str:
        return say(text(f"exported_page.{code}", **values), self.language)


def palette_color(name: str) -> str:
    """Return the colour that goes with *name*: the same one each time."""
    number = 0
    for unit in name.encode("utf-16-le", "replace")[::2]:
        number = (number * 31 + unit) & 0xFFFFFFFF
    return PALETTE[number % len(PALETTE)]


def _safe(words: str) -> str:
    return escape(_CONTROL.sub("\ufffd", words))
