"""Where commands print: words as they are, and nothing in them that a terminal would obey."""

import json
import re
from datetime import datetime, tzinfo
from typing import Any

from rich.console import Console
from rich.text import Text

_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""What moves, colours or turns round what is shown, and halves of characters."""


class _PlainConsole(Console):
    """Prints what others have written, such as names of files, without obeying it."""

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(shown(text), **options)


def plain_console(*, stderr: bool = False) -> Console:
    """Return a console that prints words as they are: no brackets or colons mean anything."""
    return _PlainConsole(stderr=stderr, highlight=False, markup=False, emoji=False)


def shown(words: str) -> str:
    r"""Return *words* with a code such as `\x1b` for each character that a terminal would obey."""
    return _OBEYED.sub(lambda found: found[0].encode("unicode_escape").decode(), words)


def shown_minute(at: datetime, zone: tzinfo) -> str:
    """Return *at* as people of *zone* read it, short enough for a table."""
    return f"{at.astimezone(zone):%Y-%m-%d %H:%M}"


def shown_json(value: object, *, indent: int | None = 2) -> str:
    """Return *value* as JSON for programs, which a terminal may show, too."""
    written = json.dumps(value, ensure_ascii=False, indent=indent)
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", written)
