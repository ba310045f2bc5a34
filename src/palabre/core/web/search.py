"""Search with whichever service answers."""

import logging
from collections.abc import Sequence

from palabre.core.web.model import SearchHit
from palabre.core.web.ports import WebSearch
from palabre.kernel.errors import UpstreamError

_log = logging.getLogger(__name__)


class FirstToAnswer:
    """`WebSearch` that asks the next service where one fails; to find nothing is an answer.

    Args:
        services: At least one, in the order in which they are asked.
    """

    def __init__(self, services: Sequence[WebSearch]) -> None:
        self._services = tuple(services)

    async def search(self, query: str, count: int) -> Sequence[SearchHit]:
        """Return the results of the first service that answers.

        Raises:
            UpstreamError: All of them failed; it is the failure of the first.
        """
        failures: list[UpstreamError] = []
        for service in self._services:
            try:
                return await service.search(query, count)
            except UpstreamError as error:
                _log.warning("search failed: %s %s", error.code, error.data)
                failures.append(error)
        raise failures[0]
