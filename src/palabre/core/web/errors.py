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
