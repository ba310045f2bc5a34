"""The control room in a browser: sessions of every role, and pages of it."""

import json
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from playwright.async_api import expect
from tests.e2e.web.browser import Visit, Visitors
from tests.support.lasting_server import Server

TOKEN = "jeton-de-la-maison"  # noqa: S105  (of a server that lives as long as its test)
ROLES = ("viewer", "operator", "editor", "admin")
COOKIE = "kxkm_v2_session"
NO_HEADERS: Mapping[str, str] = MappingProxyType({})

UNNAMED = """() => [...document.querySelectorAll(
    'button, a[href], input:not([type=hidden]), select, textarea, [role=switch], audio')]
  .filter((each) => each.checkVisibility() && !(
    each.getAttribute('aria-label') || each.textContent.trim() || each.title ||
    each.getAttribute('aria-labelledby') ||
    [...(each.labels ?? [])].some((label) => label.textContent.trim())))
  .map((each) => each.outerHTML.slice(0, 120))"""
"""What can be used and says nothing of itself to readers."""

SMALL = """() => [...document.querySelectorAll(
    'button, a.flat, a.tab, nav a, .link-list a, .cast-link, select, summary, .toggle, ' +
    'input:not([type=checkbox]):not([type=file]):not([type=hidden]), textarea')]
  .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 43.5)
  .map((each) => each.outerHTML.slice(0, 120))"""
"""What a finger would miss."""

WRONG_STRUCTURE = """() => [
  ...[...document.querySelectorAll('[id]')].map((each) => each.id)
    .filter((id, index, all) => all.indexOf(id) !== index).map((id) => `twice: ${id}`),
  ...[...document.querySelectorAll('[aria-labelledby],[aria-describedby],[aria-controls]')]
    .flatMap((each) => ['aria-labelledby', 'aria-describedby', 'aria-controls']
      .flatMap((name) => (each.getAttribute(name) ?? '').split(' ')).filter(Boolean))
    .filter((id) => !document.getElementById(id)).map((id) => `absent: ${id}`),
  ...[...document.querySelectorAll('[tabindex]')].filter((each) => each.tabIndex > 0)
    .map((each) => `tabindex: ${each.outerHTML.slice(0, 80)}`),
  ...[...document.querySelectorAll('main')].slice(1).map(() => 'two mains'),
  ...[...document.querySelectorAll('img:not([alt])')].map(() => 'img without alt'),
]"""

OVERFLOW = """() => [document.documentElement, document.querySelector('.desk-page')]
  .filter((each) => each && each.scrollWidth > each.clientWidth)
  .map((each) => `${each.tagName}: ${each.scrollWidth} > ${each.clientWidth}`)"""


@dataclass
class Sessions:
    """One session of each role; a minute has room for five logins."""

    server: Server
    ids: dict[str, str] = field(default_factory=dict)

    def of(self, role: str) -> str:
        if role not in self.ids:
            login = {"username": f"son_{role}", "role": role, "token": TOKEN}
            self.ids[role] = call(self.server, "POST", "api/session/login", login)["id"]
        return self.ids[role]

    def ask(self, method: str, path: str, body: Any = None, role: str = "admin") -> Any:
        """Ask the server as *role* does, beside all pages."""
        return call(self.server, method, path, body, self.of(role))


def call(
    server: Server,
    method: str,
    path: str,
    body: Any = None,
    session_id: str = "",
    others: Mapping[str, str] = NO_HEADERS,
) -> Any:
    """Return the data that the server answers; text where it is no JSON. *others* are headers."""
    content = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json", "x-session-id": session_id, **others}
    request = urllib.request.Request(server.url + path, content, headers, method=method)  # noqa: S310
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
        text = answer.read().decode()
    if "json" not in answer.headers["content-type"] or "ndjson" in answer.headers["content-type"]:
        return text
    told = json.loads(text)
    return told.get("data", told)


async def open_desk(
    visitors: Visitors,
    server: Server,
    session_id: str = "",
    page: str = "",
    *,
    size: tuple[int, int] = (1440, 900),
    theme: str = "dark",
    locale: str = "fr-FR",
    faults: Sequence[int] = (),
    **options: Any,
) -> Visit:
    """Open a page of the control room; *faults* are statuses that the test provokes."""
    context = await visitors.browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme=theme,
        locale=locale,
        reduced_motion="reduce",
        **options,
    )
    if session_id:
        await context.add_cookies([{"name": COOKIE, "value": session_id, "url": server.url}])
    visit = Visit(await context.new_page(), f"127.0.0.1:{server.port}")
    visit.watch()
    visitors.visits.append(visit)
    await go(visit, server, page)
    return visit


async def go(visit: Visit, server: Server, page: str) -> None:
    """Go to a page of the control room and wait until it is there."""
    await visit.page.goto(f"{server.url}admin#{page}")
    await expect(visit.page.locator("#page-title, #login-title").first).to_be_visible()


async def settled(visit: Visit) -> None:
    """Wait until nothing on the page is awaited any more."""
    await expect(visit.page.locator("main .empty[role=status]")).to_have_count(0)


async def body_json(route: Any, data: Any, status: int = 200) -> None:
    """Answer a request of the page in the server's place."""
    body = {"ok": True, "data": data} if status < 400 else data
    await route.fulfill(status=status, content_type="application/json", body=json.dumps(body))
