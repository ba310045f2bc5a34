"""What can go wrong with somebody else's tools."""

from palabre.kernel.errors import UpstreamError


class ToolSourceError(UpstreamError):
    """The source `data["source"]` does not start, ended, or does not answer: `data["detail"]`."""

    code = "tool_source"


class ToolFailedError(UpstreamError):
    """A tool of `data["source"]` says that it failed: `data["detail"]`."""

    code = "tool_failed"
