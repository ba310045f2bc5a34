"""What can go wrong with somebody else's tools."""

from palabre.kernel.errors import UpstreamError, UserError


class ToolSourceError(UpstreamError):
    """The source `data["source"]` does not start, ended, or does not answer: `data["detail"]`."""

    code = "tool_source"


class ToolFailedError(UpstreamError):
    """A tool of `data["source"]` says that it failed: `data["detail"]`."""

    code = "tool_failed"


class UnknownToolError(UserError):
    """There is no tool `data["name"]`; `data["known"]` are those there are."""

    code = "unknown_tool"


class ArgumentsRefusedError(UserError):
    """The arguments will not do: `data["detail"]`, in the words that a model is told."""

    code = "arguments_refused"


class RoomsOnlyError(UserError):
    """The tool `data["name"]` shows something to a channel: it cannot be tried without one."""

    code = "rooms_only"
