"""The way out, and who searches the web, as the settings want it."""

from palabre.adapters.web.custom_api import CustomApiSearch
from palabre.adapters.web.duckduckgo import DuckDuckGoSearch
from palabre.adapters.web.gateway import HttpGateway
from palabre.adapters.web.searxng import SearxngSearch
from palabre.app.settings import Settings
from palabre.core.web.ports import WebSearch
from palabre.core.web.search import FirstToAnswer


def search_services(settings: Settings) -> list[WebSearch]:
    """Return the search services of *settings*, in the order in which they are asked."""
    web, gateway = settings.web, HttpGateway()
    services: list[WebSearch] = []
    if web.searxng_url:
        services.append(SearxngSearch(gateway.trusting(web.searxng_url), web.searxng_url))
    if web.search_api_base:
        own = gateway.trusting(web.search_api_base)
        services.append(CustomApiSearch(own, web.search_api_base))
    if web.search == "duckduckgo":
        services.append(DuckDuckGoSearch(gateway))
    return services


def web_search(settings: Settings) -> WebSearch | None:
    """Return who searches, None where nobody does; nothing is contacted yet."""
    services = search_services(settings)
    return FirstToAnswer(services) if services else None
