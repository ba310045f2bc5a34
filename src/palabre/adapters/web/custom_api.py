"""A search service of the owner's: `GET ?q=`, answered by `{results: [{title, snippet, url}]}`."""

from collections.abc import Sequence

import msgspec

from palabre.adapters.web.answers import ask, check_status, decode
from palabre.core.web.hits import MAX_ROWS, first_hits, to_hit
from palabre.core.web.model import SearchHit
from palabre.core.web.ports import Gateway

SERVICE = "WEB_SEARCH_API_BASE"
"""How its owner knows it (seed 000 §10)."""


class _Answer(msgspec.Struct):
    results: list[object]


class CustomApiSearch:
    """`WebSearch` over such a service.

    Args:
        gateway: Trusts the service's origin.
        address: Where it is; may hold a query of its own.
    """

    def __init__(self, gateway: Gateway, address: str) -> None:
        self._gateway = gateway
        self._address = address

    async def search(self, query: str, count: int) -> Sequence[SearchHit]:
        answer = await ask(self._gateway, self._address, accept="application/json", q=query)
        check_status(answer, SERVICE)
        found = decode(answer, _Answer, SERVICE)
        return first_hits(map(_hit, found.results[:MAX_ROWS]), count)


def _hit(row: object) -> SearchHit | None:
    if not isinstance(row, dict):
        return None
    return to_hit(row.get("title"), row.get("snippet"), row.get("url"))
