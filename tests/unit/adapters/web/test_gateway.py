"""The gateway against a real server, with invented names: nothing leaves the machine."""

import asyncio
import gzip
import json
import time
import zlib
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from tests.support.outside import PUBLIC, Detour, GivenNames

from palabre.adapters.web.gateway import USER_AGENT, HttpGateway
from palabre.core.web.errors import FetchError
from palabre.core.web.model import Fetched
from palabre.testing.serving import serving

MIB = 1024 * 1024
NAMES = {
    "public.example": [[PUBLIC]],
    "other.example": [["8.8.8.8"]],
    "loop.example": [["127.0.0.1"]],
    "mixed.example": [[PUBLIC, "10.0.0.1"]],
    "two.example": [["2606:4700::1111", PUBLIC]],
    "localhost": [["127.0.0.1"]],
}
OUTSIDE = "http://public.example"


async def echo(request: Request) -> Response:
    body = (await request.body()).decode()
    return JSONResponse({"method": request.method, "headers": dict(request.headers), "body": body})


async def away(request: Request) -> Response:
    status = int(request.query_params.get("status", "302"))
    return RedirectResponse(request.query_params["to"], status)


async def count_down(request: Request) -> Response:
    left = int(request.path_params["left"])
    return RedirectResponse(f"/down/{left - 1}") if left else Response("there")


async def packed(request: Request) -> Response:
    size, how = int(request.query_params["size"]), request.query_params["how"]
    pack = {"gzip": gzip.compress, "deflate": zlib.compress}.get(how, lambda body: body)
    return Response(pack(b"\0" * size), headers={"Content-Encoding": how})


async def endless(_request: Request) -> Response:
    async def body() -> AsyncIterator[bytes]:
        while True:
            yield b"x"
            await asyncio.sleep(0.05)

    return StreamingResponse(body())


async def long_header(_request: Request) -> Response:
    return Response("x", headers={"X-Long": "y" * 200_000})


APP = Starlette(
    routes=[
        Route("/echo", echo, methods=["GET", "POST"]),
        Route("/away", away, methods=["GET", "POST"]),
        Route("/down/{left}", count_down),
        Route("/packed", packed),
        Route("/endless", endless),
        Route("/long", long_header),
    ]
)


@pytest.fixture
async def server() -> AsyncIterator[str]:
    async with serving(APP) as url:
        yield url


@pytest.fixture
def names() -> GivenNames:
    return GivenNames({name: [list(each) for each in given] for name, given in NAMES.items()})


@pytest.fixture
def detour(server: str) -> Detour:
    return Detour(urlsplit(server).port or 0)


@pytest.fixture
def gateway(names: GivenNames, detour: Detour) -> HttpGateway:
    return HttpGateway(resolver=names, backend=detour)


def seen(fetched: Fetched) -> dict:
    return json.loads(fetched.body)


async def refusal(gateway: HttpGateway, url: str, **options: object) -> FetchError:
    with pytest.raises(FetchError) as caught:
        await gateway.fetch(url, **options)
    return caught.value


async def test_a_public_page_is_fetched_by_its_name(gateway: HttpGateway, detour: Detour) -> None:
    fetched = await gateway.fetch(f"{OUTSIDE}/echo?a=1")
    headers = seen(fetched)["headers"]
    assert (fetched.status, fetched.media_type, fetched.url) == (
        200,
        "application/json",
        f"{OUTSIDE}/echo?a=1",
    )
    assert (headers["host"], headers["user-agent"]) == ("public.example", USER_AGENT)
    assert detour.called == [(PUBLIC, 80)]


async def test_a_status_of_failure_comes_back_too(gateway: HttpGateway) -> None:
    assert (await gateway.fetch(f"{OUTSIDE}/nothing")).status == 404


async def test_a_second_answer_of_the_names_cannot_lead_inside(detour: Detour) -> None:
    names = GivenNames({"rebind.example": [[PUBLIC], ["127.0.0.1"]]})
    gateway = HttpGateway(resolver=names, backend=detour)
    assert (await gateway.fetch("http://rebind.example/echo")).status == 200
    assert names.asked == ["rebind.example"]
    assert detour.called == [(PUBLIC, 80)]
    assert (await refusal(gateway, "http://rebind.example/echo")).reason == "address"
    assert detour.called == [(PUBLIC, 80)]


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://127.0.0.1/", "address"),
        ("http://127.0.0.1./", "address"),
        ("http://[::1]/", "address"),
        ("http://[::ffff:169.254.169.254]/", "address"),
        ("http://[64:ff9b::10.0.0.1]/", "address"),
        ("http://[2002:7f00:1::]/", "address"),
        ("http://169.254.169.254/latest/meta-data", "address"),
        ("http://loop.example/", "address"),
        ("http://mixed.example/", "address"),
        ("http://localhost/", "address"),
        ("http://2130706433/", "host"),
        ("http://0x7f000001/", "host"),
        ("http://0177.0.0.1/", "url"),
        ("http://127.1/", "host"),
        ("http://127。0。0。1。/", "address"),
        ("http://①②⑦.⓪.⓪.①/", "url"),
        ("http://[fe80::1%25eth0]/", "host"),
        ("http://127.0.0.1%2f.example/", "host"),
        ("http://a..b/", "host"),
        ("http:///x", "host"),
        ("http://user:secret@public.example/", "userinfo"),
        ("http://public.example\\@127.0.0.1/", "userinfo"),
        ("http://public.example:8080/", "port"),
        ("https://public.example:80/", "port"),
        ("ftp://public.example/", "scheme"),
        ("file:///etc/passwd", "scheme"),
        ("//public.example/", "scheme"),
        ("http://public.example/\n", "url"),
        ("http://[::1/", "url"),
        ("http://unknown.example/", "unresolved"),
        (f"http://public.example/{'a' * 4000}", "length"),
    ],
)
async def test_what_leads_elsewhere_is_called_by_nobody(
    gateway: HttpGateway, detour: Detour, url: str, reason: str
) -> None:
    assert (await refusal(gateway, url)).reason == reason
    assert detour.called == []


@pytest.mark.parametrize(
    ("to", "reason"),
    [
        ("http://127.0.0.1/echo", "address"),
        ("http://loop.example/echo", "address"),
        ("//[::1]/echo", "address"),
        ("http://public.example:22/", "port"),
        ("gopher://public.example/", "scheme"),
        ("http://me:secret@public.example/", "userinfo"),
    ],
)
async def test_a_redirect_is_judged_again(
    gateway: HttpGateway, detour: Detour, to: str, reason: str
) -> None:
    error = await refusal(gateway, f"{OUTSIDE}/away?to={to}")
    assert error.reason == reason
    assert detour.called == [(PUBLIC, 80)]


async def test_five_redirects_are_followed_and_six_are_not(gateway: HttpGateway) -> None:
    assert (await gateway.fetch(f"{OUTSIDE}/down/5")).body == b"there"
    assert (await refusal(gateway, f"{OUTSIDE}/down/6")).reason == "redirects"


async def test_another_origin_gets_no_credentials(gateway: HttpGateway) -> None:
    secrets = {"Authorization": "Bearer x", "Cookie": "a=b", "X-Key": "k", "Accept": "a/b"}
    same = await gateway.fetch(f"{OUTSIDE}/away?to=/echo", headers=secrets)
    assert seen(same)["headers"]["x-key"] == "k"
    other = await gateway.fetch(f"{OUTSIDE}/away?to=http://other.example/echo", headers=secrets)
    headers = seen(other)["headers"]
    assert headers["accept"] == "a/b"
    assert not {"authorization", "cookie", "x-key"} & headers.keys()


async def test_what_was_posted_stays_with_its_origin(gateway: HttpGateway) -> None:
    async def post(query: str) -> dict:
        return seen(await gateway.fetch(f"{OUTSIDE}/away?{query}", method="POST", content=b"me"))

    assert (await post("to=/echo&status=303"))["method"] == "GET"
    assert (await post("to=/echo&status=303"))["body"] == ""
    assert (await post("to=/echo&status=307"))["body"] == "me"
    error = await refusal(
        gateway,
        f"{OUTSIDE}/away?status=308&to=http://other.example/echo",
        method="POST",
        content=b"me",
    )
    assert error.reason == "redirected_body"


@pytest.mark.parametrize("how", ["gzip", "deflate", "identity"])
async def test_a_body_counts_after_unpacking(gateway: HttpGateway, how: str) -> None:
    fits = await gateway.fetch(f"{OUTSIDE}/packed?how={how}&size={MIB}", max_bytes=MIB)
    assert len(fits.body) == MIB
    error = await refusal(gateway, f"{OUTSIDE}/packed?how={how}&size={MIB + 1}", max_bytes=MIB)
    assert error.reason == "size"


async def test_a_bomb_is_put_away_at_once(gateway: HttpGateway) -> None:
    before_s = time.process_time()
    error = await refusal(gateway, f"{OUTSIDE}/packed?how=gzip&size={64 * MIB}")
    assert error.reason == "size"
    assert time.process_time() - before_s < 2  # most of it is the packing of the bomb


@pytest.mark.parametrize("how", ["br", "zstd", "gzip, gzip", "gzip, br"])
async def test_packing_that_nobody_asked_for_is_not_opened(gateway: HttpGateway, how: str) -> None:
    assert (await refusal(gateway, f"{OUTSIDE}/packed?how={how}&size=9")).reason == "packing"


async def test_a_trickle_ends_with_the_time(gateway: HttpGateway) -> None:
    error = await refusal(gateway, f"{OUTSIDE}/endless", timeout_s=0.3)
    assert (error.reason, error.data["host"]) == ("timeout", "public.example")


async def test_headers_have_an_end(gateway: HttpGateway) -> None:
    assert (await refusal(gateway, f"{OUTSIDE}/long")).reason == "broken"


async def test_the_next_address_is_tried_where_nothing_answers(
    names: GivenNames, detour: Detour
) -> None:
    detour.dead = frozenset({"2606:4700::1111"})
    gateway = HttpGateway(resolver=names, backend=detour)
    assert (await gateway.fetch("http://two.example/echo")).status == 200
    assert detour.called == [("2606:4700::1111", 80), (PUBLIC, 80)]
    detour.dead = frozenset({"2606:4700::1111", PUBLIC})
    assert (await refusal(gateway, "http://two.example/echo")).reason == "unreachable"


async def test_a_configured_origin_may_be_here_and_only_it(
    names: GivenNames, detour: Detour, server: str
) -> None:
    everybody = HttpGateway(resolver=names, backend=detour)
    owner = everybody.trusting(server)
    assert (await owner.fetch(f"{server}/echo")).status == 200
    assert (await refusal(everybody, f"{server}/echo")).reason == "port"
    port = urlsplit(server).port or 0
    assert (await refusal(owner, f"https://127.0.0.1:{port}/echo")).reason == "port"
    assert (await refusal(owner, f"http://127.0.0.1:{port + 1}/echo")).reason == "port"
    assert (await refusal(owner, f"http://localhost:{port}/echo")).reason == "port"
    inside = await refusal(owner, f"{server}/away?to=http://127.0.0.1/echo")
    assert inside.reason == "address"


async def test_proxies_of_the_environment_are_ignored(
    gateway: HttpGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    assert (await gateway.fetch(f"{OUTSIDE}/echo")).status == 200


async def test_a_client_for_others_is_guarded_as_well(
    names: GivenNames, detour: Detour, server: str
) -> None:
    everybody = HttpGateway(resolver=names, backend=detour)
    async with await everybody.trusting(server).client(timeout_s=30) as client:
        assert (await client.get(f"{server}/echo")).status_code == 200
    async with await everybody.client(timeout_s=30) as client:
        with pytest.raises(FetchError):
            await client.get(f"{server}/echo")


async def test_a_client_for_others_reads_no_endless_and_no_packed_answer(
    gateway: HttpGateway,
) -> None:
    async with await gateway.client(timeout_s=30, max_bytes=100) as client:
        assert len((await client.get(f"{OUTSIDE}/packed?how=identity&size=100")).content) == 100
        with pytest.raises(httpx2.ReadError):
            await client.get(f"{OUTSIDE}/packed?how=identity&size=101")
        with pytest.raises(httpx2.DecodingError):
            await client.get(f"{OUTSIDE}/packed?how=gzip&size=1")
