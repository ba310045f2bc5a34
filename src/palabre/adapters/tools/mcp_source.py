"""An MCP server as a source of tools, over the official SDK."""

import asyncio
import logging
from asyncio import Future, Task, TaskGroup
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from mcp import Client, MCPError
from mcp.client import Transport
from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT, Implementation
from mcp_types import Tool as McpTool

from palabre.adapters.tools.mcp_tools import MAX_REASON_CHARS, offered_by, specs_of, words_of
from palabre.core.models.model import ToolSpec
from palabre.core.tools.errors import ToolSourceError
from palabre.core.tools.model import Tool, ToolPorts, ToolUse
from palabre.core.tools.permissions import mcp_key
from palabre.kernel.text import Text, text
from palabre.kernel.visible import one_line

START_TIMEOUT_S = 30.0
FIRST_PAUSE_S = 1.0
LAST_PAUSE_S = 60.0
MAX_TIMEOUTS = 2
"""Calls in a row that may time out before the server is taken for dead."""

GRACE_S = 1.0
"""For the SDK to give up by itself, and then for us."""

CLIENT_VERSION = "2"
ENDED = "it ended"
Connect = Callable[[Callable[[], None]], Transport]
"""Gives a new transport, which calls its argument when the server is gone."""

_SHOWN_CHARS = 80
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Session:
    """A server that runs: the client that talks to it, and what it offers."""

    client: Client
    tools: tuple[Tool, ...]


class McpSource:
    """`ToolSource` that starts its server when it is first needed, and again after it died.

    Whatever a server does costs the call that it was asked for, and no other.

    Args:
        name: By which personas' lists name it.
        connect: Called for each start.
        tasks: In which the server is held.
        timeout_s: Longest call.
        first_pause_s: Pause after the first failure; each further one doubles it.
    """

    def __init__(
        self,
        name: str,
        connect: Connect,
        *,
        tasks: TaskGroup,
        timeout_s: float,
        first_pause_s: float = FIRST_PAUSE_S,
    ) -> None:
        self.name = name
        self._connect = connect
        self._tasks = tasks
        self._timeout_s = timeout_s
        self._first_pause_s = first_pause_s
        self._session: Future[_Session] | None = None
        self._holder: Task[None] | None = None
        self._end = asyncio.Event()
        self._is_closed = False
        self._failures = 0
        self._timeouts = 0
        self._not_before_s = 0.0

    async def tools(self) -> Sequence[Tool]:
        return (await self._running()).tools

    async def aclose(self) -> None:
        self._is_closed = True
        self._drop()
        if self._holder is not None:
            await asyncio.wait([self._holder])

    async def _running(self) -> _Session:
        """Return the session; start one if there is none.

        Raises:
            ToolSourceError: It does not start, failed a moment ago, or was closed.
        """
        if self._session is None:
            left_s = self._not_before_s - asyncio.get_running_loop().time()
            if left_s > 0 or self._is_closed:
                raise ToolSourceError(source=self.name, detail=f"{max(left_s, 0):.0f} s")
            self._start()
        assert self._session is not None
        return await asyncio.shield(self._session)

    def _start(self) -> None:
        self._session = asyncio.get_running_loop().create_future()
        self._end = asyncio.Event()
        self._timeouts = 0
        self._holder = self._tasks.create_task(self._hold(self._session, self._end))

    async def _hold(self, session: Future[_Session], end: asyncio.Event) -> None:
        """Keep the server running until *end*: its connection is opened and closed in one task."""
        reason = ENDED
        try:
            async with asyncio.timeout(START_TIMEOUT_S) as limit, self._client(end) as client:
                tools = await offered_by(client)
                limit.reschedule(None)
                session.set_result(self._session_of(client, tools))
                await end.wait()
        except Exception as error:  # noqa: BLE001  outermost loop of somebody else's program
            reason = _reason(error)
            _log.warning("MCP server %s: %s", self.name, reason)
        finally:
            if self._session is session:
                self._pause()
            if not session.done():
                session.set_exception(ToolSourceError(source=self.name, detail=reason))
                session.exception()  # it may be that nobody waits any more

    def _client(self, end: asyncio.Event) -> Client:
        return Client(
            self._connect(end.set),
            read_timeout_seconds=self._timeout_s,
            client_info=Implementation(name="palabre", version=CLIENT_VERSION),
            cache=None,
        )

    def _session_of(self, client: Client, tools: Sequence[McpTool]) -> _Session:
        specs = specs_of(self.name, tools)
        return _Session(client, tuple(self._tool(tool.name, spec) for tool, spec in specs))

    def _tool(self, name: str, spec: ToolSpec) -> Tool:
        return Tool(
            spec,
            partial(self._call, name),
            partial(self._about, name),
            _ready,
            key=mcp_key(self.name, name),
            timeout_s=self._timeout_s + 2 * GRACE_S,
        )

    async def _call(self, name: str, use: ToolUse, _ports: ToolPorts) -> str:
        session = await self._running()
        try:
            async with asyncio.timeout(self._timeout_s + GRACE_S):
                result = await session.client.call_tool(name, dict(use.arguments))
        except Exception as error:
            self._judge(session, error)
            raise ToolSourceError(source=self.name, detail=_reason(error)) from error
        self._failures = self._timeouts = 0
        return words_of(self.name, result)

    def _judge(self, session: _Session, error: Exception) -> None:
        """End the server if *error* says that it is dead, or hangs."""
        code = error.code if isinstance(error, MCPError) else CONNECTION_CLOSED
        if isinstance(error, TimeoutError) or code == REQUEST_TIMEOUT:
            self._timeouts += 1
        elif code != CONNECTION_CLOSED:
            return
        if code == CONNECTION_CLOSED or self._timeouts >= MAX_TIMEOUTS:
            self._drop(session)

    def _drop(self, session: _Session | None = None) -> None:
        """End the server, unless it is another one than that of *session* by now."""
        current = self._session
        if current is None:
            return
        is_other = current.done() and not current.exception() and current.result() is not session
        if session is not None and is_other:
            return
        self._end.set()
        self._pause()

    def _pause(self) -> None:
        self._session = None
        pause_s = min(LAST_PAUSE_S, self._first_pause_s * 2**self._failures)
        self._failures = min(self._failures + 1, 16)
        self._not_before_s = asyncio.get_running_loop().time() + pause_s

    def _about(self, name: str, use: ToolUse) -> Text:
        shown = one_line(name, _SHOWN_CHARS)
        return text("tool.mcp.used", nick=use.speaker, tool=shown, source=self.name)


async def _ready(_ports: ToolPorts) -> Text | None:
    return None


def _reason(error: BaseException) -> str:
    """Return what *error* says, or what it is where it says nothing; the first of a group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    words = error.message if isinstance(error, MCPError) else str(error)
    return one_line(words, MAX_REASON_CHARS) or type(error).__name__
