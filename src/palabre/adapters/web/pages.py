"""The page of DuckDuckGo Lite: a table in which links and snippets take turns."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlsplit

LINK, SNIPPET, ADVERT = "result-link", "result-snippet", "result-sponsored"
CHALLENGE = "challenge-form"
MAX_ROWS = 60
MAX_WORDS_CHARS = 4000

Attributes = list[tuple[str, str | None]]


@dataclass(slots=True)
class Row:
    """One result, as the page has it."""

    href: str
    title: str = ""
    snippet: str = ""


@dataclass(slots=True)
class Page:
    """What the page says.

    Attributes:
        is_challenge: Whether it asks if one is human instead.
    """

    rows: list[Row] = field(default_factory=list)
    is_challenge: bool = False


def read_page(html: str) -> Page:
    """Return what is on the page; anything but results is left out."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return Page(list(_led_out(reader.rows)), reader.is_challenge)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[Row] = []
        self.is_challenge = False
        self._inside = ""
        self._in_advert = False

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        given = dict(attrs)
        kinds = (given.get("class") or "").split()
        if tag == "tr":
            self._in_advert = ADVERT in kinds
        elif tag == "form" and given.get("id") == CHALLENGE:
            self.is_challenge = True
        elif tag == "a" and LINK in kinds:
            self._begin(given.get("href") or "")
        elif tag == "td" and SNIPPET in kinds and self.rows and not self._in_advert:
            self._inside = SNIPPET

    def handle_endtag(self, tag: str) -> None:
        if (tag, self._inside) in {("a", LINK), ("td", SNIPPET)}:
            self._inside = ""

    def handle_data(self, data: str) -> None:
        if not self._inside:
            return
        row = self.rows[-1]
        if self._inside == LINK:
            row.title = (row.title + data)[:MAX_WORDS_CHARS]
        else:
            row.snippet = (row.snippet + data)[:MAX_WORDS_CHARS]

    def _begin(self, href: str) -> None:
        if self._in_advert or len(self.rows) >= MAX_ROWS:
            self._inside = ""
            return
        self.rows.append(Row(href))
        self._inside = LINK


def _led_out(rows: list[Row]) -> Iterator[Row]:
    """Yield *rows* with the addresses behind DuckDuckGo's own; what stays there are adverts."""
    for row in rows:
        try:
            parts = urlsplit(row.href if "//" in row.href else f"//{row.href}")
            behind = parse_qs(parts.query, max_num_fields=20).get("uddg", [])
        except ValueError:
            continue
        if behind:
            row.href = behind[0]
        elif (parts.hostname or "").endswith("duckduckgo.com"):
            continue
        yield row
