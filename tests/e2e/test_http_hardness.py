"""Requests that mean harm."""

import asyncio
import json
from collections.abc import Iterator

import pytest
from tests.support.neighbours import ROOMS
from tests.support.raw_socket import ask, connect_raw
from tests.support.served import Served, served

pytestmark = pytest.mark.e2e

MIB = 1024 * 1024


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("hardness") / "data", rooms=ROOMS) as place:
        yield place


async def status_and_body(server: Served, request: str) -> tuple[int, dict[str, str], bytes]:
    answer = await ask(server.address, request.replace("\n", "\r\n").encode() + b"\r\n\r\n")
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    return int(first.split(" ")[1]), headers, body


async def test_a_host_that_is_not_ours_is_refused(server: Served) -> None:
    for path in ("/", "/metrics", "/web/"):
        asked = f"GET {path} HTTP/1.1\nHost: evil.example"
        status, headers, _ = await status_and_body(server, asked)
        assert status == 400
        assert headers["x-content-type-options"] == "nosniff"
    with pytest.raises(ConnectionRefusedError, match=" 400 "):
        await connect_raw(server.address, headers={"Host": "evil.example"})
    status, _, _ = await status_and_body(server, "GET /healthz HTTP/1.1\nHost: localhost:1")
    assert status == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://[", "https://127.0.0.1", "file://", "", "http://a@b"],
)
async def test_a_page_of_another_site_is_refused(server: Served, origin: str) -> None:
    with pytest.raises(ConnectionRefusedError, match=" 403 "):
        await connect_raw(server.address, headers={"Origin": origin})


async def test_our_own_page_and_clients_that_are_no_page_are_let_in(server: Served) -> None:
    host, port = server.address
    own = await connect_raw(server.address, headers={"Origin": f"http://{host}:{port}"})
    assert await own.is_served()
    assert await (await connect_raw(server.address)).is_served()


async def test_a_head_without_an_end_is_not_kept(server: Served) -> None:
    _, writer = await asyncio.open_connection(*server.address)
    writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
    with pytest.raises(ConnectionError):
        for _ in range(64):
            writer.write(b"a" * MIB)
            await writer.drain()
    writer.close()


async def test_what_is_no_request_is_told_so_in_json(server: Served) -> None:
    status, headers, body = await status_and_body(server, "get / HTTP/1.1\nHost: localhost")
    assert status == 400
    assert headers["x-content-type-options"] == "nosniff"
    assert json.loads(body) == {"ok": False, "error": "bad_request"}


@pytest.mark.parametrize(
    ("request_line", "status", "code"),
    [
        ("GET /nowhere HTTP/1.1", 404, "not_found"),
        ("GET /api/v2/nowhere HTTP/1.1", 404, "not_found"),
        ("GET /web/nowhere.js HTTP/1.1", 404, "not_found"),
        ("POST /healthz HTTP/1.1", 405, "method_not_allowed"),
    ],
)
async def test_http_errors_are_json(
    server: Served, request_line: str, status: int, code: str
) -> None:
    request = f"{request_line}\nHost: localhost\nContent-Length: 0"
    answered, headers, body = await status_and_body(server, request)
    assert answered == status
    assert headers["content-type"] == "application/json"
    assert json.loads(body)["error"] == code
    assert json.loads(body)["ok"] is False


@pytest.mark.parametrize(
    "path",
    [
        "/web/../socket.py",
        "/web/%2e%2e/socket.py",
        "/web/..%2fsocket.py",
        "/web/%2e%2e%2fsocket.py",
        "/web/..%5csocket.py",
        "/web//etc/passwd",
        "/web/%00",
        "/web/js/../../http.py",
        "/../../../../etc/passwd",
    ],
)
async def test_the_page_has_no_way_out_of_its_folder(server: Served, path: str) -> None:
    status, _, body = await status_and_body(server, f"GET {path} HTTP/1.1\nHost: localhost")
    assert status in {400, 404}
    assert b"import" not in body
    assert b"root:" not in body


async def test_the_page_is_served_with_headers_that_keep_others_out(server: Served) -> None:
    status, headers, _ = await status_and_body(server, "GET / HTTP/1.1\nHost: localhost")
    assert status == 200
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
