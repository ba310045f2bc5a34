"""Pages for people: SearXNG's, and the table that DuckDuckGo Lite answers with."""

import re
from collections.abc import Sequence
from html import escape
from urllib.parse import quote, urlparse

from palabre.sim.searxng.script import Result

_ROW = """\
<tr><td valign="top">{number}.&nbsp;</td>
<td><a rel="nofollow" href="{href}" class='result-link'>{title}</a></td></tr>
<tr><td>&nbsp;&nbsp;&nbsp;</td><td class='result-snippet'>{snippet}</td></tr>
<tr><td>&nbsp;&nbsp;&nbsp;</td><td><span class='link-text'>{shown}</span></td></tr>
<tr><td>&nbsp;</td><td>&nbsp;</td></tr>
"""
_ADVERT = """\
<tr class="result-sponsored"><td valign="top">1.&nbsp;</td>
<td><a rel="nofollow" href="{href}" class='result-link'>Achetez {query} moins cher</a></td></tr>
<tr class="result-sponsored"><td>&nbsp;&nbsp;&nbsp;</td>
<td class='result-snippet'>Annonce. Livraison demain.</td></tr>
"""
_FORM = """\
<form action="/lite/" method="post">
<input class="query" type="text" name="q" value="{query}">
<input class="submit" type="submit" value="Search"></form>
"""
_CHALLENGE = """\
<form id="challenge-form" action="/anomaly.js" method="POST">
<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>
<div class="anomaly-modal__description">Select all squares containing a duck:</div>
<input type="submit" value="Submit"></form>
"""


def searxng(query: str, results: Sequence[Result]) -> str:
    """Return SearXNG's own page."""
    articles = "".join(
        f'<article class="result result-default"><h3><a href="{escape(result.url)}">'
        f'{escape(result.title)}</a></h3><p class="content">{escape(result.content)}</p></article>'
        for result in results
    )
    return _page(f"{query} - SearXNG", f'<div id="urls" role="main">{articles}</div>')


def lite(query: str, results: Sequence[Result], *, advert: bool) -> str:
    """Return DuckDuckGo Lite's page; without a query, its form alone."""
    title, form = f"{query} at DuckDuckGo", _FORM.format(query=escape(query))
    if not query:
        return _page("DuckDuckGo", form)
    if not results:
        return _page(title, f"{form}<table border='0'><tr><td>No results.</td></tr></table>")
    rows = _advert(query) if advert else ""
    rows += "".join(_row(number, query, result) for number, result in enumerate(results, start=1))
    return _page(title, f'{form}<table border="0">\n{rows}</table>')


def challenge() -> str:
    """Return the page that asks whether one is human."""
    return _page("DuckDuckGo", _CHALLENGE)


def failed(reason: str) -> str:
    """Return a page with nothing but *reason*."""
    return _page("Error", f"<h1>{escape(reason)}</h1>")


def _row(number: int, query: str, result: Result) -> str:
    parts = urlparse(result.url)
    return _ROW.format(
        number=number,
        href=escape(f"//duckduckgo.com/l/?uddg={quote(result.url, safe='')}&rut={number:064x}"),
        title=escape(result.title),
        snippet=_bold(query, escape(result.content)),
        shown=escape(parts.netloc + parts.path),
    )


def _advert(query: str) -> str:
    href = f"https://duckduckgo.com/y.js?ad_domain=shop.example&ad_provider=x&q={quote(query)}"
    return _ADVERT.format(href=escape(href), query=escape(query))


def _bold(query: str, snippet: str) -> str:
    words = "|".join(re.escape(escape(word)) for word in query.split())
    return re.sub(rf"\b({words})\b", r"<b>\1</b>", snippet, flags=re.IGNORECASE)


def _page(title: str, body: str) -> str:
    head = f'<head><meta charset="utf-8"><title>{escape(title)}</title></head>'
    return f"<!DOCTYPE html>\n<html>{head}<body>\n{body}</body></html>\n"
