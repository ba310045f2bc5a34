"""What can go wrong outside."""

from palabre.kernel.errors import UpstreamError


class FetchError(UpstreamError):
    """An address was not fetched. `data["detail"]` says why, `data["host"]` where."""

    code = "fetch_failed"
