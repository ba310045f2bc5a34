from palabre.adapters.web.custom_api import CustomApiSearch
from palabre.adapters.web.duckduckgo import DuckDuckGoSearch
from palabre.adapters.web.searxng import SearxngSearch
from palabre.app.settings import Settings
from palabre.app.web import search_services, web_search
from palabre.testing.simulators import searxng


async def test_nobody_is_asked_unless_the_owner_says_so() -> None:
    assert search_services(Settings()) == []
    assert web_search(Settings()) is None


def test_services_are_asked_in_the_order_of_the_contract() -> None:
    given = {"searxng_url": "http://a", "search_api_base": "http://b", "search": "duckduckgo"}
    kinds = [type(each) for each in search_services(Settings(web=given))]
    assert kinds == [SearxngSearch, CustomApiSearch, DuckDuckGoSearch]


async def test_a_service_on_this_machine_is_reached_by_its_configured_address() -> None:
    async with searxng() as url:
        found = [
            await search.search("échos", 5)
            for web in ({"searxng_url": url}, {"search_api_base": f"{url}/custom"})
            if (search := web_search(Settings(web=web)))
        ]
    assert len(found[0]) == 5
    assert found[0] == found[1]
