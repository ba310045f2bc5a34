"""DuckDuckGo Lite: a public page that is read as people see it; asked only when switched on."""

import asyncio
from collections.abc import Sequence
from http import HTTPStatus

from palabre.adapters.web.answers import ask, check_status
from palabre.adapters.web.pages import read_page
from palabre.core.web.errors import SearchBlockedError
from palabre.core.web.hits import first_hits, to_hit
from palabre.core.web.model import SearchHit
from palabre.core.web.ports import Gateway

SERVICE = "DuckDuckGo"
LITE = "https://lite.duckduckgo.com/lite/"


class DuckDuckGoSearch:
    """`WebSearch` over the page of DuckDuckGo Lite (seed 000 §10)."""

    def __init__(self, gateway: Gateway, address: str = LITE) -> None:
        self._gateway = gateway
        self._address = address

    async def search(self, query: str, count: int) -> Sequence[SearchHit]:
        """Return what was found.

        Raises:
            SearchBlockedError: It asks whether we are human.
        """
        answer = await ask(self._gateway, self._address, accept="text/html", q=query)
        if answer.status != HTTPStatus.ACCEPTED:
            check_status(answer, SERVICE)
        # A hostile page may take a while to read.
        page = await asyncio.to_thread(read_page, answer.body.decode("utf-8", "replace"))
        if page.is_challenge or answer.status == HTTPStatus.ACCEPTED:
            raise SearchBlockedError(service=SERVICE)
        return first_hits((to_hit(row.title, row.snippet, row.href) for row in page.rows), count)
