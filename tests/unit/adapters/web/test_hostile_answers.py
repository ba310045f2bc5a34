"""Search services that are broken, or mean harm."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palabre.adapters.web.custom_api import CustomApiSearch
from palabre.adapters.web.duckduckgo import DuckDuckGoSearch
from palabre.adapters.web.pages import read_page
from palabre.adapters.web.searxng import SearxngSearch
from palabre.core.web.errors import (
    SearchEnginesError,
    SearchNoJsonError,
    SearchOddError,
    SearchRefusedError,
)
from palabre.core.web.model import Fetched, SearchHit

GOOD = {"title": "t", "content": "c", "snippet": "s", "url": "https://example.org/"}


class OneAnswer:
    """`Gateway` that answers always the same, and notes what was asked."""

    def __init__(self, body: bytes, status: int = 200) -> None:
        self.body, self.status = body, status
        self.urls: list[str] = []

    async def fetch(self, url: str, **_options: object) -> Fetched:
        self.urls.append(url)
        return Fetched(url, self.status, "", "", self.body)


def odd_rows(rows: object) -> bytes:
    return json.dumps({"results": rows}).encode()


@pytest.mark.parametrize("kind", [SearxngSearch, CustomApiSearch])
async def test_rows_that_are_no_results_are_left_out(kind: type) -> None:
    body = odd_rows([None, 1, "x", [], {}, {"url": 1}, {"url": "javascript:x"}, GOOD])
    hits = await kind(OneAnswer(body), "http://s").search("q", 5)
    assert [hit.url for hit in hits] == ["https://example.org/"]


@pytest.mark.parametrize("kind", [SearxngSearch, CustomApiSearch])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"{}",
        b'{"results": 3}',
        b"[" * 100_000,
        b'{"results": [',
        b"\xff\xfe",
    ],
)
async def test_an_answer_of_another_shape_is_told_as_such(kind: type, body: bytes) -> None:
    with pytest.raises(SearchOddError):
        await kind(OneAnswer(body), "http://s").search("q", 5)


async def test_forbidden_json_says_who_has_to_allow_it() -> None:
    with pytest.raises(SearchNoJsonError):
        await SearxngSearch(OneAnswer(b"", 403), "http://s").search("q", 5)
    with pytest.raises(SearchRefusedError):
        await CustomApiSearch(OneAnswer(b"", 403), "http://s").search("q", 5)


async def test_nothing_found_because_no_engine_answered_is_a_failure() -> None:
    down = [["google", "CAPTCHA"], "bing", 3, []]
    body = json.dumps({"results": [], "unresponsive_engines": down}).encode()
    with pytest.raises(SearchEnginesError) as caught:
        await SearxngSearch(OneAnswer(body), "http://s").search("q", 5)
    assert caught.value.data["engines"] == "google, bing"


async def test_the_query_is_a_value_and_not_too_long() -> None:
    gateway = OneAnswer(odd_rows([]))
    await CustomApiSearch(gateway, "http://s/find?key=1").search("a&b=c #d\ud800" + "x" * 999, 5)
    await SearxngSearch(gateway, "http://s/search/").search("q", 5)
    assert gateway.urls[0].startswith("http://s/find?key=1&q=a%26b%3Dc+%23d%3Fx")
    assert len(gateway.urls[0]) < 560
    assert gateway.urls[1] == "http://s/search?q=q&format=json"


@given(st.binary(max_size=400) | st.text(max_size=400).map(str.encode))
async def test_any_bytes_are_a_page_with_few_results(body: bytes) -> None:
    await DuckDuckGoSearch(OneAnswer(body)).search("q", 5)


async def test_markup_of_a_page_does_not_reach_the_results() -> None:
    page = b"""<table><tr><td><a class='result-link' href='//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F'>
    A <script>alert(1)</script><b>b</b>&lt;i&gt;</a></td></tr><tr><td class='result-snippet'>x<br>y
    <tr><td><a class='result-link' href='javascript:alert(1)'>no</a>
    <tr><td><a class='result-link' href='https://duckduckgo.com/y.js?ad=1'>advert</a>
    <tr><td><a class='result-link' href='http://[::1'>broken</a>
    <tr><td><a class='result-link' href='https://b.example/'>plain</a></table>"""
    hits = await DuckDuckGoSearch(OneAnswer(page)).search("q", 5)
    assert hits == [
        SearchHit("A alert(1)b<i>", "xy", "https://a.example/"),
        SearchHit("plain", "", "https://b.example/"),
    ]


def test_a_page_without_end_costs_little() -> None:
    row = "<tr><td><a class='result-link' href='https://a.example/'>" + "x" * 50
    page = read_page(row * 5000)
    assert len(page.rows) == 60
    assert all(len(each.title) <= 4000 for each in page.rows)
