"""MCP servers that die, flood, lie, or are not there: each costs its own call."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from palabre.adapters.tools.child import Command, child_streams
from palabre.adapters.tools.mcp_source import McpSource
from palabre.core.tools.errors import ToolSourceError
from palabre.core.tools.model import ToolPorts, ToolUse
from palabre.kernel.ids import ChannelName, Nick

pytestmark = pytest.mark.e2e

SERVER = Path(__file__).parents[1] / "support" / "mcp_server.py"
LAB = Command(sys.executable, (str(SERVER),), {"LAB_SECRET": "s3cret"})


@asynccontextmanager
async def opened(command: Command = LAB, timeout_s: float = 30.0) -> AsyncIterator[McpSource]:
    async with asyncio.TaskGroup() as tasks:
        connect = partial(child_streams, command)
        source = McpSource("lab", connect, tasks=tasks, timeout_s=timeout_s, first_pause_s=0.05)
        try:
            yield source
        finally:
            await source.aclose()


async def use(source: McpSource, name: str, /, **arguments: str | int) -> str:
    tool = next(each for each in await source.tools() if each.name == f"lab_{name}")
    return await tool.run(ToolUse(arguments, Nick("S"), ChannelName("#c")), ToolPorts())


async def soon(source: McpSource) -> str:
    """Use the server again as soon as it may be started anew."""
    async with asyncio.timeout(30):
        while True:
            try:
                return await use(source, "process")
            except ToolSourceError:
                await asyncio.sleep(0.05)


async def gone(pid: int) -> bool:
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        await asyncio.sleep(0.05)
    return False


async def test_a_server_that_dies_is_started_again_after_a_pause() -> None:
    async with opened() as source:
        first = await use(source, "process")
        with pytest.raises(ToolSourceError):
            await use(source, "die")
        with pytest.raises(ToolSourceError):
            await source.tools()
        assert await soon(source) != first


async def test_a_server_that_is_killed_between_calls_is_noticed() -> None:
    async with opened() as source:
        first = int(await use(source, "process"))
        os.kill(first, 9)
        assert await gone(first)
        assert int(await soon(source)) != first


async def test_a_server_that_hangs_is_ended_after_two_calls() -> None:
    async with opened(timeout_s=2) as source:
        first = await use(source, "process")
        for _ in range(2):
            with pytest.raises(ToolSourceError):
                await use(source, "wait", seconds=60)
        assert await gone(int(first))
        assert await soon(source) != first


async def test_a_long_answer_is_cut_and_an_endless_line_ends_the_server() -> None:
    async with opened(timeout_s=8) as source:
        assert len(await use(source, "flood", size=1_000_000)) == 100_000
        with pytest.raises(ToolSourceError):
            await use(source, "flood", size=3_000_000)
        await soon(source)
        with pytest.raises(ToolSourceError):
            await use(source, "pour")


async def test_a_server_gets_its_own_variables_and_none_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ADMIN_TOKEN", "ours")
    async with opened() as source:
        assert await use(source, "variable", name="LAB_SECRET") == "s3cret"
        assert await use(source, "variable", name="ADMIN_TOKEN") == "-"
    assert "s3cret" not in repr(LAB)


async def test_the_end_ends_the_process() -> None:
    async with opened() as source:
        pid = int(await use(source, "process"))
    assert await gone(pid)


async def test_a_server_is_not_started_before_it_is_needed() -> None:
    async with opened(Command("/nowhere/mcp")) as source:
        assert source.name == "lab"


@pytest.mark.parametrize(
    "command",
    [
        Command("/nowhere/mcp"),
        Command(sys.executable, ("-c", "pass")),
        Command(sys.executable, ("-c", "print('hello'); print('{}')")),
        Command(sys.executable, ("-c", "import sys; sys.stdout.write('[' * 9000000)")),
        Command(sys.executable, ("-c", 'while True: print(\'{"jsonrpc": "2.0", "id": 1}\')')),
    ],
    ids=["absent", "mute", "babbling", "endless", "flooding"],
)
async def test_what_is_no_server_is_told_and_not_started_again_at_once(command: Command) -> None:
    async with opened(command, timeout_s=1.0) as source:
        for _ in range(2):
            with pytest.raises(ToolSourceError):
                await source.tools()


async def test_the_pause_grows_with_each_failure() -> None:
    async with opened(Command("/nowhere/mcp")) as source:
        tries: list[tuple[float, float]] = []
        while len(tries) < 3:
            began_s = time.monotonic()
            with pytest.raises(ToolSourceError) as caught:
                await source.tools()
            if not str(caught.value.data["detail"]).endswith(" s"):
                tries.append((began_s, time.monotonic()))
            await asyncio.sleep(0.005)
    pauses_s = [ended_s - began_s for (began_s, _), (_, ended_s) in pairwise(tries)]
    assert pauses_s[0] >= 0.05
    assert pauses_s[1] >= 0.1
