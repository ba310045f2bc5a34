"""Requests that no route should see."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

import httpx2
import pytest
from fastapi import APIRouter, FastAPI, File, UploadFile
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Message

from palabre.surfaces.http.checked_requests import DEFAULT_BODY_BYTES, CheckedRequests
from palabre.surfaces.http.errors import answer_errors_in_json
from palabre.testing.ids import CountingIds

JSON = {"content-type": "application/json"}


class Body(BaseModel):
    text: str = ""


async def take(body: Body) -> int:
    return len(body.text)


async def take_perhaps(body: Body | None = None) -> bool:
    return body is not None


async def take_form(file: Annotated[UploadFile, File()]) -> int:
    return len(await file.read())


async def take_raw(request: Request) -> int:
    return len(await request.body())


async def read(what: str = "") -> str:
    return what


def application(**options: float) -> FastAPI:
    http, router = FastAPI(), APIRouter()
    router.add_api_route("/api/small", take, methods=["POST", "PUT"])
    router.add_api_route("/api/small", read, methods=["GET"])
    router.add_api_route("/api/perhaps", take_perhaps, methods=["POST"])
    router.add_api_route("/api/large", take, methods=["POST"], max_body_size=2 * DEFAULT_BODY_BYTES)
    router.add_api_route("/api/form", take_form, methods=["POST"])
    router.add_api_route("/api/raw", take_raw, methods=["POST", "DELETE"])
    router.add_api_route("/api/raw", take_raw, methods=["PUT"])
    router.add_api_route("/api/named/{name}", read, methods=["GET"])
    http.include_router(router)
    http.add_route("/page", lambda _request: PlainTextResponse("page"), methods=["GET"])
    answer_errors_in_json(http, CountingIds())
    http.add_middleware(
        CheckedRequests,
        routes=lambda: http.routes,
        allowed_origins=("https://a.example",),
        **options,
    )
    return http


@asynccontextmanager
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    transport = httpx2.ASGITransport(app=application())
    async with httpx2.AsyncClient(transport=transport, base_url="http://here:3333") as client:
        yield client


async def asked(method: str, path: str, **options: Any) -> httpx2.Response:
    async with client() as here:
        return await here.request(method, path, **options)


async def in_pieces(*pieces: bytes) -> AsyncIterator[bytes]:
    for each in pieces:
        yield each


async def test_a_body_that_is_json_reaches_its_route_whole() -> None:
    for kind in ("application/json", "Application/JSON; charset=utf-8", "application/x+json"):
        content = in_pieces(b'{"te', b'xt": "abc"', b"}")
        answer = await asked("POST", "/api/small", content=content, headers={"content-type": kind})
        assert (answer.status_code, answer.json()) == (200, 3)


@pytest.mark.parametrize("kind", ["", "text/plain", "application/xml", "text/json", "x"])
async def test_a_body_of_another_type_is_415(kind: str) -> None:
    answer = await asked("POST", "/api/small", content=b"{}", headers={"content-type": kind})
    assert answer.status_code == 415
    assert answer.json() == {"ok": False, "error": "unsupported_media_type"}


@pytest.mark.parametrize("body", [b"{", b"[" * 10_000, b'{"text": "a\\u0000"}', b"\xff", b" "])
async def test_what_is_no_json_is_400_with_a_reason(body: bytes) -> None:
    answer = await asked("POST", "/api/small", content=body, headers=JSON)
    assert answer.status_code == 400
    assert answer.json()["error"] == "validation_error"
    assert set(answer.json()["details"][0]) == {"code", "path", "message", "in"}


async def test_without_a_body_the_route_decides() -> None:
    assert (await asked("POST", "/api/perhaps")).json() is False
    needed = await asked("POST", "/api/small")
    assert needed.status_code == 400
    assert needed.json()["details"][0]["code"] == "invalid_type"


async def test_a_body_is_read_no_further_than_its_route_takes() -> None:
    exact = b'{"text": "' + b"x" * (DEFAULT_BODY_BYTES - 12) + b'"}'
    assert (await asked("POST", "/api/small", content=exact, headers=JSON)).status_code == 200
    assert (await asked("POST", "/api/large", content=exact * 1, headers=JSON)).status_code == 200
    for path, many in (("/api/small", 1), ("/api/large", 2), ("/api/raw", 1), ("/nowhere", 1)):
        body = b" " * (many * DEFAULT_BODY_BYTES + 1)
        answer = await asked("POST", path, content=body, headers=JSON)
        assert answer.status_code == 413, path
        assert answer.json() == {"ok": False, "error": "content_too_large"}


@pytest.mark.parametrize("path", ["/api/small", "/api/raw"])
async def test_a_body_that_does_not_tell_its_size_is_given_up_while_it_comes(path: str) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while sent < 16 * DEFAULT_BODY_BYTES:
            sent += 64 * 1024
            yield b" " * 64 * 1024

    answer = await asked("POST", path, content=endless(), headers=JSON)
    assert answer.status_code == 413
    assert answer.json()["error"] == "content_too_large"


async def test_a_form_is_no_json_and_is_left_alone() -> None:
    answer = await asked("POST", "/api/form", files={"file": b"\x00\xff"})
    assert (answer.status_code, answer.json()) == (200, 2)


async def test_head_is_get_without_the_body() -> None:
    for path in ("/api/small?what=abc", "/page"):
        got, head = await asked("GET", path), await asked("HEAD", path)
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-length"] == got.headers["content-length"]
    assert (await asked("HEAD", "/nowhere")).status_code == 404


@pytest.mark.parametrize("method", ["GET", "HEAD", "PATCH", "OPTIONS", "TRACE", "FOO"])
async def test_a_wrong_method_is_told_the_right_ones(method: str) -> None:
    answer = await asked(method, "/api/raw")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "DELETE, POST, PUT"
    if method != "HEAD":
        assert answer.json() == {"ok": False, "error": "method_not_allowed"}


async def test_a_nul_in_the_address_names_nothing() -> None:
    assert (await asked("GET", "/api/named/a%00b")).status_code == 404
    answer = await asked("GET", "/api/small?what=a%00b")
    assert answer.status_code == 400
    assert answer.json()["details"][0]["in"] == "query"


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (None, 200),
        ("http://here:3333", 200),
        ("https://a.example", 200),
        ("http://here:4444", 403),
        ("https://evil.example", 403),
        ("http://here:3333.evil.example", 403),
        ("null", 403),
        ("http://[", 403),
    ],
)
async def test_only_pages_of_ours_change_something(origin: str | None, status: int) -> None:
    headers = {"origin": origin} if origin else {}
    for method in ("POST", "DELETE"):
        answer = await asked(method, "/api/raw", headers=headers)
        assert answer.status_code == status
    if status == 403:
        assert answer.json() == {"ok": False, "error": "origin_denied"}
    assert (await asked("GET", "/api/small", headers=headers)).status_code == 200


@pytest.mark.parametrize(
    ("site", "status"),
    [("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)],
)
async def test_a_page_that_does_not_say_its_origin_is_known_by_its_browser(
    site: str, status: int
) -> None:
    here = {"sec-fetch-site": site}
    assert (await asked("POST", "/api/raw", headers=here)).status_code == status
    assert (await asked("GET", "/api/small", headers=here)).status_code == 200
    named = {**here, "origin": "https://a.example"}
    assert (await asked("POST", "/api/raw", headers=named)).status_code == 200


@pytest.mark.parametrize("path", ["/api/small", "/api/raw", "/api/form"])
async def test_a_body_that_comes_too_slowly_is_given_up(path: str) -> None:
    sent: list[Message] = []

    async def never() -> Message:
        await asyncio.sleep(60)
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    kind = b"multipart/form-data; boundary=x" if path.endswith("form") else b"application/json"
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "query_string": b"",
        "headers": [(b"content-type", kind)],
    }
    async with asyncio.timeout(10):
        await application(body_within_s=0.05)(scope, never, send)
    assert sent[0]["status"] == 408
    assert json.loads(sent[1]["body"]) == {"ok": False, "error": "request_timeout"}
