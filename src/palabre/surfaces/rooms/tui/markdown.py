"""The little Markdown that models write, as styled text. Rich's own markup is never read."""

import re

from rich.style import Style
from rich.text import Text

from palabre.surfaces.rooms.tui.theme import Palette

_SPAN = re.compile(
    r"`(?P<code>[^`\n]{1,400})`"
    r"|\*\*(?=\S)(?P<bold>[^\n]{1,400}?)(?<=\S)\*\*"
    r"|(?<![\w*])\*(?=[^\s*])(?P<star>[^*\n]{1,400}?)(?<=\S)\*(?![\w*])"
    r"|(?<!\w)_(?=[^\s_])(?P<under>[^_\n]{1,400}?)(?<=\S)_(?!\w)"
    r"|(?P<url>https?://[^\s<>\"]{1,400})"
    r"|(?<![\w.@])@(?P<at>[\w-]{1,32})"
)
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_HEADING = re.compile(r"#{1,6}\s+(?=\S)")
_BULLET = re.compile(r"(\s*)[-*+]\s+(?=\S)")
_QUOTE = re.compile(r"\s{0,3}>\s?")


def render(text: str, palette: Palette, colors: dict[str, str]) -> Text:
    """Return clean *text* with its emphasis, code and lists shown.

    Args:
        text: Cleaned text of a message.
        palette: The look.
        colors: Readable colour of each persona by its nick in lower case, for `@mentions`.
    """
    shown = Text(style=palette.text)
    for number, (fenced, words) in enumerate(_without_fences(text)):
        if number:
            shown.append("\n")
        if fenced:
            shown.append(words or " ", _code(palette))
        else:
            _append_line(shown, words, palette, colors)
    return shown


def ends_in_code(text: str) -> bool:
    """Whether a code block that begins in *text* is still open at its end."""
    return sum(_FENCE.match(line) is not None for line in text.split("\n")) % 2 == 1


def _without_fences(text: str) -> list[tuple[bool, str]]:
    """Return each line with whether it is code; the fences themselves are not shown."""
    lines: list[tuple[bool, str]] = []
    fenced = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        else:
            lines.append((fenced, line))
    return lines or [(False, text)]


def _append_line(shown: Text, line: str, palette: Palette, colors: dict[str, str]) -> None:
    style = ""
    if heading := _HEADING.match(line):
        line, style = line[heading.end() :], "bold"
    elif bullet := _BULLET.match(line):
        shown.append(f"{bullet[1]}• ", palette.accent)
        line = line[bullet.end() :]
    elif quote := _QUOTE.match(line):
        shown.append("▏ ", palette.muted)
        line, style = line[quote.end() :], f"italic {palette.muted}"
    _append_spans(shown, line, style, palette, colors)


def _append_spans(
    shown: Text, line: str, style: str, palette: Palette, colors: dict[str, str]
) -> None:
    end = 0
    for found in _SPAN.finditer(line):
        shown.append(line[end : found.start()], style)
        kind = found.lastgroup or "code"
        words = found[0] if kind in ("url", "at") else found[kind]
        shown.append(words, _span_style(kind, words, style, palette, colors))
        end = found.end()
    shown.append(line[end:], style)


def _span_style(
    kind: str, words: str, style: str, palette: Palette, colors: dict[str, str]
) -> Style:
    outer = Style.parse(style)
    inner = {
        "bold": Style(bold=True),
        "star": Style(italic=True),
        "under": Style(italic=True),
        "url": Style(underline=True),
    }.get(kind)
    if kind == "code":
        inner = _code(palette)
    elif kind == "at":
        color = colors.get(words[1:].lower())
        inner = Style(color=color, bold=True) if color else Style(bold=True)
    return outer + inner if inner else outer


def _code(palette: Palette) -> Style:
    return Style(color=palette.system, bgcolor=palette.panel)
