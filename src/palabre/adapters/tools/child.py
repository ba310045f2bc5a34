"""An MCP server as a child process that speaks JSON over its pipes, one message a line.

The SDK's own client keeps a line of any length; here a line has an end, and so has patience.
"""

import asyncio
import logging
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process, SubprocessStreamProtocol
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

MAX_LINE_BYTES = 4 * 1024 * 1024
MAX_MESSAGES_PER_S = 500
"""More of them are a flood, and end the server: reading them would cost all others."""

CLOSE_S = 1.0
"""How long a server has to end once its input is closed, and once more when it is told to."""

POLL_S = 0.01

Read = MemoryObjectReceiveStream[SessionMessage | Exception]
Write = MemoryObjectSendStream[SessionMessage]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Command:
    """How to start a server.

    Attributes:
        environment: What it gets besides PATH, HOME and the like.
    """

    program: str
    arguments: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)


@asynccontextmanager
async def child_streams(
    command: Command, gone: Callable[[], None]
) -> AsyncIterator[tuple[Read, Write]]:
    """Start *command* and give its streams of messages; end it, and what it started, afterwards.

    *gone* is called when it says nothing more.

    Raises:
        OSError: It cannot be started.
    """
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.subprocess_exec(
        lambda: SubprocessStreamProtocol(limit=MAX_LINE_BYTES, loop=loop),
        command.program,
        *command.arguments,
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        env={**get_default_environment(), **command.environment},
        start_new_session=True,
    )
    process = Process(transport, protocol, loop)
    into, messages = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, out_of = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read, process, into, gone)
            tasks.start_soon(_write, process, out_of, into)
            yield messages, outgoing
            tasks.cancel_scope.cancel()
    finally:
        for stream in (into, messages, outgoing, out_of):
            stream.close()
        with anyio.CancelScope(shield=True):
            await _end(process)
        transport.close()


async def _read(
    process: Process,
    into: MemoryObjectSendStream[SessionMessage | Exception],
    gone: Callable[[], None],
) -> None:
    """Hand on each line; the end of them, or one without end, closes the stream."""
    assert process.stdout is not None
    async with into:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            second, count = 0, 0
            while line := await _line(process.stdout):
                now = int(asyncio.get_running_loop().time())
                second, count = now, (count + 1 if now == second else 1)
                if count > MAX_MESSAGES_PER_S:
                    _log.warning("an MCP server wrote more than %s lines a second", count - 1)
                    break
                await into.send(_message(line))
    gone()


async def _line(lines: asyncio.StreamReader) -> bytes:
    try:
        return await lines.readuntil(b"\n")
    except asyncio.IncompleteReadError:
        return b""
    except asyncio.LimitOverrunError:
        _log.warning("an MCP server wrote a line of more than %s bytes", MAX_LINE_BYTES)
        return b""


def _message(line: bytes) -> SessionMessage | Exception:
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error


async def _write(
    process: Process,
    out_of: MemoryObjectReceiveStream[SessionMessage],
    into: MemoryObjectSendStream[SessionMessage | Exception],
) -> None:
    assert process.stdin is not None
    try:
        async for each in out_of:
            line = each.message.model_dump_json(by_alias=True, exclude_unset=True)
            process.stdin.write(f"{line}\n".encode())
            await process.stdin.drain()
    except OSError:  # it reads no more: whoever waits for an answer is told by the closed stream
        into.close()


async def _end(process: Process) -> None:
    """Let it end by itself, then tell it and its children to, then end them."""
    if process.stdin is not None:
        process.stdin.close()
    if not await _has_ended(process):
        _signal(process.pid, signal.SIGTERM)
        await _has_ended(process)
    _signal(process.pid, signal.SIGKILL)
    await _has_ended(process)


async def _has_ended(process: Process) -> bool:
    """Wait for it a while; not with `wait`, which waits for its children's pipes as well."""
    for _ in range(round(CLOSE_S / POLL_S)):
        if process.returncode is not None:
            return True
        await asyncio.sleep(POLL_S)
    return False


def _signal(group: int, sign: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, sign)
