"""The simulated search engine against the shapes that SearXNG's servers have, over a socket."""

import asyncio
import re
from typing import Any

import httpx2
import pytest

from palabre.testing.simulators import searxng

SCRIPT = """
[[answer]]
when = "xenakis"
answers = ["Iannis Xenakis, 1922-2001"]
suggestions = ["Metastasis"]
unresponsive = [["google", "CAPTCHA"]]
[[answer.result]]
title = "Xenakis"
url = "https://example.org/xenakis?a=1"
content = "Architecte et compositeur."
published = "2001-02-04T00:00:00"
[[answer.result]]
title = "Le Polytope"
url = "https://example.org/polytope"
engine = "qwant"
[[answer]]
when = "rien"
"""


async def get(source: str, path: str, **params: str | int) -> httpx2.Response:
    async with searxng(source) as url, httpx2.AsyncClient(base_url=url) as client:
        return await client.get(path, params=params)


async def found(source: str, **params: str | int) -> dict[str, Any]:
    response = await get(source, "/search", format="json", **params)
    assert response.headers["content-type"] == "application/json"
    answer: dict[str, Any] = response.json()
    return answer


async def test_json_has_searxngs_fields() -> None:
    answer = await found(SCRIPT, q="qui est Xenakis")
    assert answer == {
        "query": "qui est Xenakis",
        "number_of_results": 0,
        "results": answer["results"],
        "answers": answer["answers"],
        "corrections": [],
        "infoboxes": [],
        "suggestions": ["Metastasis"],
        "unresponsive_engines": [["google", "CAPTCHA"]],
    }
    assert answer["results"][0] == {
        "url": "https://example.org/xenakis?a=1",
        "title": "Xenakis",
        "content": "Architecte et compositeur.",
        "publishedDate": "2001-02-04T00:00:00",
        "engine": "wikipedia",
        "template": "default.html",
        "parsed_url": ["https", "example.org", "/xenakis", "", "a=1", ""],
        "img_src": "",
        "thumbnail": "",
        "priority": "",
        "engines": ["wikipedia"],
        "positions": [1],
        "score": 1.0,
        "category": "general",
    }
    assert answer["answers"][0]["answer"] == "Iannis Xenakis, 1922-2001"


async def test_a_rule_without_results_finds_none_and_no_rule_improvises() -> None:
    assert (await found(SCRIPT, q="rien"))["results"] == []
    assert len((await found(SCRIPT, q="autre chose"))["results"]) == 10


async def test_pages_follow_each_other_and_end() -> None:
    pages = [(await found("", q="échos", pageno=page))["results"] for page in (1, 2, 4)]
    assert pages[0][0]["url"] != pages[1][0]["url"]
    assert pages[2] == []


async def test_a_form_is_taken_as_well_as_an_address() -> None:
    async with searxng(SCRIPT) as url, httpx2.AsyncClient(base_url=url) as client:
        response = await client.post("/search", data={"q": "xenakis", "format": "json"})
    assert len(response.json()["results"]) == 2


async def test_without_a_format_it_is_a_page() -> None:
    response = await get(SCRIPT, "/search", q="xenakis")
    assert response.headers["content-type"].startswith("text/html")
    assert 'href="https://example.org/polytope"' in response.text


async def test_a_fresh_install_forbids_json() -> None:
    response = await get("json_allowed = false", "/search", q="x", format="json")
    assert response.status_code == 403
    assert (await get("json_allowed = false", "/search", q="x")).status_code == 200


@pytest.mark.parametrize(
    ("params", "error"),
    [
        ({}, "No query"),
        ({"q": "x", "pageno": "0"}, 'Invalid value "0" for parameter pageno'),
        ({"q": "x", "safesearch": "3"}, 'Invalid value "3" for parameter safesearch'),
    ],
)
async def test_wrong_parameters_are_refused_in_json(params: dict[str, str], error: str) -> None:
    response = await get("", "/search", format="json", **params)
    assert (response.status_code, response.json()) == (400, {"error": error})


async def test_config_and_health_answer() -> None:
    config = (await get("", "/config")).json()
    assert {"categories", "engines", "plugins", "instance_name", "version"} <= config.keys()
    assert (await get("", "/healthz")).text == "OK"


async def test_the_custom_search_answers_title_snippet_and_url() -> None:
    response = await get(SCRIPT, "/custom", q="xenakis")
    assert response.json()["results"][0] == {
        "title": "Xenakis",
        "snippet": "Architecte et compositeur.",
        "url": "https://example.org/xenakis?a=1",
    }
    assert (await get(SCRIPT, "/custom")).status_code == 400


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_the_lite_page_is_a_table_of_links_and_snippets(method: str) -> None:
    async with (
        searxng("advert = true\n" + SCRIPT) as url,
        httpx2.AsyncClient(base_url=url) as client,
    ):
        if method == "GET":
            response = await client.get("/lite/", params={"q": "xenakis"})
        else:
            response = await client.post("/lite/", data={"q": "xenakis"})
    links = re.findall(r"href=\"([^\"]+)\" class='result-link'", response.text)
    assert [link.split("?")[0] for link in links] == [
        "https://duckduckgo.com/y.js",
        "//duckduckgo.com/l/",
        "//duckduckgo.com/l/",
    ]
    assert "class='result-snippet'>Architecte et compositeur.<" in response.text


async def test_the_lite_page_without_a_query_is_its_form_and_without_results_says_so() -> None:
    assert "<form" in (await get("", "/lite/")).text
    assert "No results." in (await get(SCRIPT, "/lite/", q="rien")).text


async def test_lite_asks_whether_one_is_human_with_a_status_that_looks_like_success() -> None:
    source = '[[answer]]\nerror = "anomaly"'
    response = await get(source, "/lite/", q="x")
    assert response.status_code == 202
    assert "anomaly-modal" in response.text
    assert (await get(source, "/search", q="x", format="json")).status_code == 429


@pytest.mark.parametrize(
    ("rule", "status", "kind"),
    [
        ('error = "http"', 500, "text/html"),
        ('error = "http"\nstatus = 503', 503, "text/html"),
        ('error = "busy"', 429, "text/html"),
        ('error = "html"', 200, "text/html"),
    ],
)
async def test_failures_come_as_pages(rule: str, status: int, kind: str) -> None:
    response = await get(f"[[answer]]\n{rule}", "/search", q="x", format="json")
    assert response.status_code == status
    assert response.headers["content-type"].startswith(kind)


async def test_redirect_leads_where_the_script_says() -> None:
    source = '[[answer]]\nerror = "redirect"\nlocation = "http://127.0.0.1:9/secret"'
    response = await get(source, "/search", q="x", format="json")
    assert (response.status_code, response.headers["location"]) == (
        302,
        "http://127.0.0.1:9/secret",
    )


async def test_huge_is_valid_json_of_the_size_asked_for() -> None:
    source = 'huge_bytes = 300000\n[[answer]]\nerror = "huge"'
    response = await get(source, "/search", q="x", format="json")
    assert len(response.content) == 300_000
    assert len(response.json()["results"]) == 10


async def test_cut_closes_the_connection_in_the_middle() -> None:
    with pytest.raises(httpx2.RemoteProtocolError):
        await get('[[answer]]\nerror = "cut"', "/search", q="x", format="json")


@pytest.mark.parametrize("error", ["hang", "slow"])
async def test_a_client_that_gives_up_is_counted(error: str) -> None:
    source = f'[[answer]]\nerror = "{error}"'
    loop = asyncio.get_running_loop()
    async with searxng(source) as url, httpx2.AsyncClient(base_url=url) as client:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.6):
                await client.get("/search", params={"q": "x", "format": "json"})
        deadline = loop.time() + 30
        while not (ledger := (await client.get("/sim/requests")).json())["cut_by_client"]:
            assert loop.time() < deadline, ledger
    assert ledger["running"] == 0


async def test_the_ledger_tells_each_search_and_rules_are_used_up() -> None:
    source = '[[answer]]\nerror = "http"\ntimes = 1'
    async with searxng(source) as url, httpx2.AsyncClient(base_url=url) as client:
        params = {"q": "x", "format": "json"}
        statuses = [(await client.get("/search", params=params)).status_code for _ in range(2)]
        ledger = (await client.get("/sim/requests")).json()
        assert (await client.delete("/sim/requests")).json()["requests"] == []
    assert statuses == [500, 200]
    assert [call["outcome"] for call in ledger["requests"]] == ["failed", "answered"]
    assert ledger["requests"][0]["body"] == params
    assert ledger["requests"][0]["path"] == "/search"


async def test_delay_is_kept() -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    await get("delay_s = 0.2", "/search", q="x", format="json")
    assert loop.time() - began >= 0.2
