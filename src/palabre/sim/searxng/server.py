"""The routes of the simulated search engine."""

import asyncio
import re
from collections.abc import Callable, Sequence

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from palabre.sim.endpoint import (
    CutResponse,
    RefusedError,
    hang,
    padded,
    routes,
    trickled,
)
from palabre.sim.ledger import Call, JsonObject, Ledger, Uses
from palabre.sim.searxng import pages, shapes
from palabre.sim.searxng.demo import improvise
from palabre.sim.searxng.script import Answer, Fault, Result, Script

JSON, HTML = "application/json", "text/html; charset=utf-8"
FORMATS = frozenset({"html", "csv", "json", "rss"})
TRICKLE_S = 0.25
NUMBERS = {"pageno": (r"[1-9][0-9]{0,4}", 1), "safesearch": (r"[012]", 0)}
"""What SearXNG takes for its numbers, and what it takes them for when they are missing."""

Form = Callable[[str, Sequence[Result], Answer], tuple[bytes, str]]


class SearchServer:
    """What is found, which rules are used up, and who asked what."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._uses = Uses()
        self.ledger = Ledger()

    async def search(self, _request: Request, call: Call) -> Response:
        """Answer `/search` as SearXNG."""
        wanted = _text(call.body, "format") or "html"
        form = wanted if wanted in FORMATS else "html"
        if form in {"csv", "rss"} or (form == "json" and not self._script.json_allowed):
            raise RefusedError(HTMLResponse(pages.failed("Forbidden"), 403))
        query = _text(call.body, "q")
        if not query and form == "json":
            raise RefusedError(JSONResponse({"error": "No query"}, 400))
        page = _number(call.body, "pageno", form)
        _number(call.body, "safesearch", form)
        return await self._answer(query, page, _json if form == "json" else _html)

    async def custom(self, _request: Request, call: Call) -> Response:
        """Answer `/custom`: results of title, snippet and url alone."""
        query = _text(call.body, "q")
        if not query:
            raise RefusedError(JSONResponse({"error": "q is missing"}, 400))
        return await self._answer(query, 1, _plain)

    async def lite(self, _request: Request, call: Call) -> Response:
        """Answer `/lite/` as DuckDuckGo Lite."""
        query = _text(call.body, "q")

        def form(query: str, results: Sequence[Result], _rule: Answer) -> tuple[bytes, str]:
            return pages.lite(query, results, advert=self._script.advert).encode(), HTML

        if not query:
            return HTMLResponse(pages.lite("", (), advert=False))
        return await self._answer(query, 1, form, asks=True)

    async def config(self, _request: Request, _call: Call) -> Response:
        """Answer `/config`."""
        return JSONResponse(shapes.config())

    async def health(self, _request: Request, _call: Call) -> Response:
        """Answer `/healthz`."""
        return PlainTextResponse("OK")

    async def _answer(self, query: str, page: int, form: Form, *, asks: bool = False) -> Response:
        rules = self._script.answer
        rule = self._uses.take(rules, [rule.fits(query) for rule in rules])
        rule = rule or Answer(improvise=True)
        await asyncio.sleep(self._script.delay_s if rule.delay_s is None else rule.delay_s)
        _refuse(rule, asks=asks)
        body, media_type = form(query, self._found(rule, query, page), rule)
        return await self._sent(rule, body, media_type)

    def _found(self, rule: Answer, query: str, page: int) -> Sequence[Result]:
        failing = rule.error is not None and not rule.result
        if rule.improvise or failing:
            return improvise(query, page)
        return rule.result if page == 1 else ()

    async def _sent(self, rule: Answer, body: bytes, media_type: str) -> Response:
        if rule.error is Fault.HANG:
            return await hang()
        if rule.error is Fault.CUT:
            return CutResponse(body, media_type=media_type)
        if rule.error is Fault.SLOW:
            return trickled(body, TRICKLE_S, media_type)
        if rule.error is Fault.HUGE:
            return padded(body, b" ", self._script.huge_bytes, media_type)
        return Response(body, media_type=media_type)


def create_app(script: Script | None = None) -> Starlette:
    """Return the simulated search engine as an ASGI application."""
    server = SearchServer(script or Script())
    table = [
        ("GET POST", "/", server.search),
        ("GET POST", "/search", server.search),
        ("GET", "/config", server.config),
        ("GET", "/healthz", server.health),
        ("GET", "/custom", server.custom),
        ("GET POST", "/lite/", server.lite),
    ]
    return Starlette(routes=[*routes(server.ledger, table), server.ledger.route()])


def _refuse(rule: Answer, *, asks: bool) -> None:
    """Raise for the errors that come instead of an answer; *asks* whether one is human, or not."""
    busy = HTMLResponse(pages.failed("Too Many Requests"), 429, {"Retry-After": "30"})
    refusals = {
        Fault.HTTP: HTMLResponse(pages.failed("Internal Server Error"), rule.status),
        Fault.BUSY: busy,
        Fault.ANOMALY: HTMLResponse(pages.challenge(), 202) if asks else busy,
        Fault.HTML: HTMLResponse(pages.failed("Welcome to nginx!")),
        Fault.REDIRECT: Response(status_code=302, headers={"Location": rule.location}),
    }
    if rule.error in refusals:
        raise RefusedError(refusals[rule.error])


def _json(query: str, results: Sequence[Result], rule: Answer) -> tuple[bytes, str]:
    return msgspec.json.encode(shapes.found(query, results, rule)), JSON


def _html(query: str, results: Sequence[Result], _rule: Answer) -> tuple[bytes, str]:
    return pages.searxng(query, results).encode(), HTML


def _plain(_query: str, results: Sequence[Result], _rule: Answer) -> tuple[bytes, str]:
    found = [
        {"title": result.title, "snippet": result.content, "url": result.url} for result in results
    ]
    return msgspec.json.encode({"results": found}), JSON


def _text(body: JsonObject, key: str) -> str:
    value = body.get(key, "")
    return value.strip() if isinstance(value, str) else ""


def _number(body: JsonObject, key: str, form: str) -> int:
    """Return a number of the query, or its default.

    Raises:
        RefusedError: It is not one of those that SearXNG takes.
    """
    text = _text(body, key)
    pattern, default = NUMBERS[key]
    if not text:
        return default
    if re.fullmatch(pattern, text):
        return int(text)
    reason = f'Invalid value "{text}" for parameter {key}'
    page = HTMLResponse(pages.failed(reason), 400)
    raise RefusedError(JSONResponse({"error": reason}, 400) if form == "json" else page)
