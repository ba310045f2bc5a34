"""What can go wrong outside."""

from palabre.kernel.errors import UpstreamError
from palabre.kernel.text import Text, text


class FetchError(UpstreamError):
    """An address was not fetched. `data["host"]` says where.

    Attributes:
        reason: Which text below `fetch_reason.` says why; its values are in `data`.
    """

    code = "fetch_failed"

    def __init__(self, reason: str, **data: str | int | float) -> None:
        super().__init__(**{"host": "", **data, "reason": reason})
        self.reason = reason

    @property
    def text(self) -> Text:
        """What to tell the user: where, and why."""
        why = text(f"fetch_reason.{self.reason}", **self.data)
        return text(f"error.{self.code}", host=self.data["host"], reason=why)


class NoSearchError(UpstreamError):
    """No search service is configured."""

    code = "no_search"


class SearchRefusedError(UpstreamError):
    """`data["service"]` answered with the HTTP status `data["status"]`."""

    code = "search_refused"


class SearchBlockedError(UpstreamError):
    """`data["service"]` takes us for a machine, or has had enough of us for now."""

    code = "search_blocked"


class SearchNoJsonError(UpstreamError):
    """`data["service"]` does not answer in JSON: its owner has to allow that."""

    code = "search_no_json"


class SearchOddError(UpstreamError):
    """`data["service"]` answered something else than results."""

    code = "search_odd"


class SearchEnginesError(UpstreamError):
    """None of the engines behind `data["service"]` answered: `data["engines"]`."""

    code = "search_engines"
