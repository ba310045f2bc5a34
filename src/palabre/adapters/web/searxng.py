"""SearXNG: https://docs.searxng.org/dev/search_api.html."""

from collections.abc import Iterator, Sequence
from http import HTTPStatus

import msgspec

from palabre.adapters.web.answers import ask, check_status, decode
from palabre.core.web.errors import SearchEnginesError, SearchNoJsonError
from palabre.core.web.hits import MAX_ROWS, first_hits, to_hit
from palabre.core.web.model import SearchHit
from palabre.core.web.ports import Gateway
from palabre.kernel.visible import one_line

SERVICE = "SearXNG"
MAX_ENGINES = 5
MAX_ENGINE_CHARS = 60


class _Answer(msgspec.Struct):
    results: list[object]
    unresponsive_engines: object = None


class SearxngSearch:
    """`WebSearch` over a SearXNG server.

    Args:
        gateway: Trusts the server's origin.
        base_url: Where the server is.
    """

    def __init__(self, gateway: Gateway, base_url: str) -> None:
        self._gateway = gateway
        self._address = f"{base_url.rstrip('/').removesuffix('/search')}/search"

    async def search(self, query: str, count: int) -> Sequence[SearchHit]:
        """Return what was found.

        Raises:
            SearchNoJsonError: The server forbids JSON, as it does unless its owner allows it.
            SearchEnginesError: Nothing was found because no engine answered.
        """
        answer = await ask(
            self._gateway, self._address, accept="application/json", q=query, format="json"
        )
        if answer.status == HTTPStatus.FORBIDDEN:
            raise SearchNoJsonError(service=SERVICE)
        check_status(answer, SERVICE)
        found = decode(answer, _Answer, SERVICE)
        hits = first_hits(map(_hit, found.results[:MAX_ROWS]), count)
        if not hits and (failed := ", ".join(_names(found.unresponsive_engines))):
            raise SearchEnginesError(service=SERVICE, engines=failed)
        return hits


def _hit(row: object) -> SearchHit | None:
    if not isinstance(row, dict):
        return None
    return to_hit(row.get("title"), row.get("content"), row.get("url"))


def _names(engines: object) -> Iterator[str]:
    """Yield the engines that did not answer; each is a name, or a name with the reason."""
    if not isinstance(engines, list):
        return
    for engine in engines[:MAX_ENGINES]:
        name = engine[0] if isinstance(engine, list) and engine else engine
        if line := one_line(name, MAX_ENGINE_CHARS):
            yield line
