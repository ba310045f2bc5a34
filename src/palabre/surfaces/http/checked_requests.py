"""What is asked of every HTTP request, before a route sees it.

- A change comes from a page of ours, or from no page at all.
- No NUL in the address; a JSON body that is JSON, of its type, and no larger than the route takes.
- Whoever may GET may ask HEAD; a wrong method is told all the right ones.
"""

import asyncio
from collections.abc import Callable, Collection, Sequence
from http import HTTPStatus
from typing import Any

from fastapi.params import Form
from fastapi.routing import RouteContext, iter_route_contexts
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from palabre.surfaces.http.envelope import MIB
from palabre.surfaces.http.errors import INVALID, issue, refusal
from palabre.surfaces.http.json_bodies import fault_in
from palabre.surfaces.http.origin import is_allowed_origin

DEFAULT_BODY_BYTES = MIB
"""A route that takes more says so by its `max_body_size`."""

AT_ONCE_BYTES = 64 * 1024
"""A body up to this is checked without a thread."""

BODY_WITHIN_S = 300.0
"""Longest time that a body may take to come in."""

_ELSEWHERE = frozenset({"cross-site", "same-site"})
"""Where browsers say that a page is which does not say its origin."""

_READS = frozenset({"GET", "HEAD", "OPTIONS"})


class RefusedError(Exception):
    """The request goes no further."""

    def __init__(self, answer: JSONResponse) -> None:
        super().__init__(answer.status_code)
        self.answer = answer


class CheckedRequests:
    """Lets only such requests through to *asgi* as its routes can take.

    Args:
        routes: Returns them; they are looked at once, at the first request.
        allowed_origins: Other sites whose pages may change something.
    """

    def __init__(
        self,
        asgi: ASGIApp,
        routes: Callable[[], Sequence[BaseRoute]],
        allowed_origins: Collection[str] = (),
        body_within_s: float = BODY_WITHIN_S,
    ) -> None:
        self._asgi = asgi
        self._routes = routes
        self._found: list[RouteContext] = []
        self._allowed_origins = allowed_origins
        self._body_within_s = body_within_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._asgi(scope, receive, send)
            return
        try:
            _check_address(scope)
            self._check_origin(scope)
            if scope["method"] != "GET":
                scope, receive, send = await self._looked_at(scope, receive, send)
        except RefusedError as refused:
            await refused.answer(scope, receive, send)
            return
        await self._asgi(scope, receive, self._naming_methods(scope, send))

    def _check_origin(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        if scope["method"] in _READS or not scope["path"].startswith("/api/"):
            return
        origin, host = headers.get("origin"), headers.get("host")
        is_elsewhere = origin is None and headers.get("sec-fetch-site") in _ELSEWHERE
        if is_elsewhere or not is_allowed_origin(origin, host, self._allowed_origins):
            raise RefusedError(refusal(HTTPStatus.FORBIDDEN, "origin_denied"))

    async def _looked_at(
        self, scope: Scope, receive: Receive, send: Send
    ) -> tuple[Scope, Receive, Send]:
        route = self._route(scope)
        if scope["method"] in _READS:
            as_get = {**scope, "method": "GET"}
            if scope["method"] == "HEAD" and route is None and self._route(as_get) is not None:
                return as_get, receive, _without_body(send)
            return scope, receive, send
        limit_bytes = getattr(route, "max_body_size", None) or DEFAULT_BODY_BYTES
        if _told_bytes(scope) > limit_bytes:
            raise RefusedError(_unread(HTTPStatus.REQUEST_ENTITY_TOO_LARGE))
        limited = _limited(receive, limit_bytes, self._body_within_s)
        if _takes_json(route):
            return scope, await _checked_json(scope, limited), send
        return scope, limited, send

    def _route(self, scope: Scope) -> RouteContext | None:
        matching = (each for each in self._contexts() if each.matches(scope)[0] is Match.FULL)
        return next(matching, None)

    def _contexts(self) -> list[RouteContext]:
        if not self._found:
            self._found = list(iter_route_contexts(self._routes()))
        return self._found

    def _naming_methods(self, scope: Scope, send: Send) -> Send:
        async def send_naming(message: Message) -> None:
            is_start = message["type"] == "http.response.start"
            if is_start and message["status"] == HTTPStatus.METHOD_NOT_ALLOWED:
                MutableHeaders(scope=message)["Allow"] = ", ".join(self._methods(scope))
            await send(message)

        return send_naming

    def _methods(self, scope: Scope) -> list[str]:
        partial = (each for each in self._contexts() if each.matches(scope)[0] is Match.PARTIAL)
        methods = {method for each in partial for method in each.methods or ()}
        return sorted(methods | ({"HEAD"} if "GET" in methods else set()))


def _check_address(scope: Scope) -> None:
    if b"%00" in scope.get("query_string", b""):
        wrong = issue("invalid_string", (), "A value holds a NUL character", "query")
        raise RefusedError(refusal(HTTPStatus.BAD_REQUEST, INVALID, [wrong]))
    if "\0" in scope["path"]:
        raise RefusedError(refusal(HTTPStatus.NOT_FOUND))


def _takes_json(route: RouteContext | None) -> bool:
    field: Any = getattr(route, "body_field", None)
    return field is not None and not isinstance(field.field_info, Form)


async def _checked_json(scope: Scope, receive: Receive) -> Receive:
    """Return where the whole body comes from again.

    Raises:
        RefusedError: It cannot be read whole, is no JSON, or says that it is something else.
    """
    body = await _read(receive)
    if body and not _is_json(Headers(scope=scope).get("content-type", "")):
        raise RefusedError(refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE))
    if body:
        await _check_json(body)

    async def receive_again() -> Message:
        nonlocal body
        if body is None:
            return await receive()
        whole, body = body, None
        return {"type": "http.request", "body": whole, "more_body": False}

    return receive_again


async def _read(receive: Receive) -> bytes | None:
    pieces, goes_on = [], True
    while goes_on:
        try:
            message = await receive()
        except HTTPException as fault:
            raise RefusedError(_unread(fault.status_code)) from None
        if message["type"] == "http.disconnect":
            raise RefusedError(refusal(HTTPStatus.BAD_REQUEST, "incomplete"))
        pieces.append(message.get("body", b""))
        goes_on = message.get("more_body", False)
    return b"".join(pieces)


async def _check_json(body: bytes) -> None:
    is_small = len(body) <= AT_ONCE_BYTES
    fault = fault_in(body) if is_small else await asyncio.to_thread(fault_in, body)
    if fault is not None:
        wrong = issue(fault.code, fault.path, fault.message)
        raise RefusedError(refusal(HTTPStatus.BAD_REQUEST, INVALID, [wrong]))


def _is_json(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    is_application = kind.startswith("application/")
    return kind == "application/json" or (is_application and kind.endswith("+json"))


def _told_bytes(scope: Scope) -> int:
    told = Headers(scope=scope).get("content-length", "")
    return int(told) if told.isascii() and told.isdigit() else 0


def _limited(receive: Receive, limit_bytes: int, within_s: float) -> Receive:
    """Return where a body comes from, until it is too large or too slow; what follows may wait."""
    read_bytes, goes_on = 0, True
    until_s = asyncio.get_running_loop().time() + within_s

    async def receive_limited() -> Message:
        nonlocal read_bytes, goes_on
        try:
            async with asyncio.timeout_at(until_s if goes_on else None):
                message = await receive()
        except TimeoutError:
            raise HTTPException(HTTPStatus.REQUEST_TIMEOUT) from None
        read_bytes += len(message.get("body", b""))
        goes_on = message.get("more_body", False)
        if read_bytes > limit_bytes:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        return message

    return receive_limited


def _without_body(send: Send) -> Send:
    async def send_head(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return send_head


def _unread(status: int) -> JSONResponse:
    is_large = status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    return refusal(status, "content_too_large" if is_large else "")
