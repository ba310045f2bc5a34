"""Every way to search the web does what `WebSearch` says."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from palabre.adapters.web.custom_api import CustomApiSearch
from palabre.adapters.web.duckduckgo import DuckDuckGoSearch
from palabre.adapters.web.gateway import HttpGateway
from palabre.adapters.web.searxng import SearxngSearch
from palabre.core.web.errors import SearchBlockedError
from palabre.core.web.model import SearchHit
from palabre.core.web.ports import WebSearch
from palabre.kernel.errors import UpstreamError
from palabre.testing.simulators import searxng
from palabre.testing.web import ScriptedSearch

SCRIPT = """
huge_bytes = 4000000
advert = true
[[answer]]
when = "xenakis"
[[answer.result]]
title = "Xenakis & <fils>"
url = "https://example.org/xenakis?a=1&b=2"
content = "Architecte et compositeur : Xenakis."
[[answer.result]]
title = "Le Polytope"
url = "https://example.org/polytope"
[[answer]]
when = "rien"
[[answer]]
when = "panne"
error = "http"
[[answer]]
when = "assez"
error = "anomaly"
[[answer]]
when = "coupe"
error = "cut"
[[answer]]
when = "enorme"
error = "huge"
[[answer]]
when = "dedans"
error = "redirect"
location = "http://127.0.0.1:9/"
"""
XENAKIS = [
    SearchHit(
        "Xenakis & <fils>",
        "Architecte et compositeur : Xenakis.",
        "https://example.org/xenakis?a=1&b=2",
    ),
    SearchHit("Le Polytope", "", "https://example.org/polytope"),
]
Make = Callable[[str], WebSearch]


def over_searxng(url: str) -> WebSearch:
    return SearxngSearch(HttpGateway(trusted=[url]), url)


def over_custom(url: str) -> WebSearch:
    return CustomApiSearch(HttpGateway(trusted=[url]), f"{url}/custom")


def over_duckduckgo(url: str) -> WebSearch:
    return DuckDuckGoSearch(HttpGateway(trusted=[url]), f"{url}/lite/")


class PlayedSearch:
    """The fake, told what the script says."""

    async def search(self, query: str, count: int) -> list[SearchHit]:
        word = query.casefold()
        error = UpstreamError(detail="x")
        if "assez" in word:
            error = SearchBlockedError(service="x")
        hits = XENAKIS if "xenakis" in word else ()
        fails = word in {"panne", "assez", "coupe", "enorme", "dedans"}
        return list(await ScriptedSearch(*hits, error=error if fails else None).search(word, count))


@asynccontextmanager
async def nothing() -> AsyncIterator[str]:
    yield ""


WAYS: dict[str, tuple[Callable[[], AbstractAsyncContextManager[str]], Make]] = {
    "searxng": (lambda: searxng(SCRIPT), over_searxng),
    "custom": (lambda: searxng(SCRIPT), over_custom),
    "duckduckgo": (lambda: searxng(SCRIPT), over_duckduckgo),
    "scripted": (nothing, lambda _: PlayedSearch()),
}


@pytest.fixture(params=WAYS)
async def search(request: pytest.FixtureRequest) -> AsyncIterator[WebSearch]:
    served, make = WAYS[request.param]
    async with served() as url:
        yield make(url)


async def test_results_come_whole_and_in_order(search: WebSearch) -> None:
    assert list(await search.search("qui est Xenakis", 5)) == XENAKIS


async def test_no_more_results_come_than_are_wanted(search: WebSearch) -> None:
    assert list(await search.search("xenakis", 1)) == XENAKIS[:1]


async def test_to_find_nothing_is_no_failure(search: WebSearch) -> None:
    assert list(await search.search("rien", 5)) == []


async def test_one_is_told_when_a_service_has_enough(search: WebSearch) -> None:
    with pytest.raises(SearchBlockedError):
        await search.search("assez", 5)


@pytest.mark.parametrize("query", ["panne", "coupe", "enorme", "dedans"])
async def test_what_fails_fails_as_a_service(search: WebSearch, query: str) -> None:
    with pytest.raises(UpstreamError):
        await search.search(query, 5)
