"""An engine in a process of its own: whatever happens to it, the next word is said."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from palabre.adapters.speech.child import EngineChild
from palabre.adapters.speech.wav import read_wav
from palabre.core.models.errors import CutAnswerError
from palabre.core.speech.errors import NothingToSayError
from palabre.kernel.errors import UpstreamError

MODULE = "tests.support.speech_child"


@pytest.fixture
async def child(tmp_path: Path) -> AsyncIterator[EngineChild]:
    made = EngineChild("Fake", MODULE, {"mark": str(tmp_path / "died")}, grace_s=0.2)
    yield made
    await made.aclose()


async def say(child: EngineChild, words: str) -> bytes:
    return await child.say(words, "fr_FR-x", "fr")


async def gone(pid: int) -> None:
    """Wait until *pid* is neither alive nor a zombie."""
    async with asyncio.timeout(30):
        while os.path.exists(f"/proc/{pid}"):  # noqa: ASYNC110, ASYNC240, PTH110 - no real file
            await asyncio.sleep(0.01)


async def test_it_speaks_again_and_again_in_one_process(child: EngineChild) -> None:
    assert child.pid is None
    first = await say(child, "un")
    pid = child.pid
    assert read_wav(first).duration_s == pytest.approx(0.05)
    assert await say(child, "un") == first
    assert child.pid == pid


async def test_what_libraries_print_is_no_answer(child: EngineChild) -> None:
    assert read_wav(await say(child, "noise")).rate_hz == 16_000
    assert await say(child, "un")


async def test_a_failure_is_told_and_the_process_lives(child: EngineChild) -> None:
    await say(child, "un")
    pid = child.pid
    with pytest.raises(UpstreamError) as failed:
        await say(child, "fail")
    assert failed.value.data["detail"] == "Fake: unknown phoneme"
    with pytest.raises(NothingToSayError):
        await say(child, "nothing")
    assert child.pid == pid


async def test_a_process_that_dies_is_started_anew_without_a_loss(child: EngineChild) -> None:
    await say(child, "un")
    pid = child.pid
    assert await say(child, "die once")
    assert child.pid not in {None, pid}


async def test_words_that_kill_every_process_are_given_up(child: EngineChild) -> None:
    with pytest.raises(CutAnswerError):
        await say(child, "die")
    assert await say(child, "un")


async def test_a_process_that_was_killed_between_two_words_is_started_anew(
    child: EngineChild,
) -> None:
    await say(child, "un")
    assert child.pid
    os.kill(child.pid, signal.SIGKILL)
    assert await say(child, "deux")


async def test_a_process_that_hangs_is_ended_with_the_patience_for_it(child: EngineChild) -> None:
    await say(child, "un")
    pid = child.pid
    assert pid
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await say(child, "hang")
    async with asyncio.timeout(30):
        assert await say(child, "un")
    assert child.pid != pid
    await gone(pid)


async def test_words_that_nobody_waits_for_any_more_do_not_cost_the_process(
    tmp_path: Path,
) -> None:
    child = EngineChild("Fake", MODULE, {"mark": str(tmp_path)}, grace_s=5)
    await say(child, "un")
    pid = child.pid
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await say(child, "slow")
    assert await say(child, "deux") != await say(child, "un")
    assert child.pid == pid
    await child.aclose()


async def test_two_at_once_are_said_one_after_the_other(child: EngineChild) -> None:
    short, long = await asyncio.gather(say(child, "slow"), say(child, "bonjour"))
    assert len(short) < len(long)


async def test_words_that_still_wait_can_be_taken_back(child: EngineChild) -> None:
    first = asyncio.ensure_future(say(child, "slow"))
    await asyncio.sleep(0)
    waiting = asyncio.ensure_future(say(child, "hang"))
    await asyncio.sleep(0.05)
    waiting.cancel()
    assert await first
    async with asyncio.timeout(30):
        assert await say(child, "un")


async def test_closing_ends_the_process_even_in_the_middle_of_a_word(child: EngineChild) -> None:
    await say(child, "un")
    pid = child.pid
    assert pid
    hanging = asyncio.ensure_future(say(child, "hang"))
    await asyncio.sleep(0.05)
    await child.aclose()
    await gone(pid)
    with pytest.raises(asyncio.CancelledError):
        await hanging


PARENT = """
import asyncio, sys
from palabre.adapters.speech.child import EngineChild

async def main():
    child = EngineChild("Fake", "tests.support.speech_child", {"mark": ""})
    await child.say("un", "", "fr")
    print(child.pid, flush=True)
    await child.say("hang", "", "fr")

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel of Linux")
async def test_the_process_dies_with_a_parent_that_is_killed_in_the_middle_of_a_word() -> None:
    parent = await asyncio.create_subprocess_exec(sys.executable, "-c", PARENT, stdout=PIPE)
    assert parent.stdout
    pid = int(await parent.stdout.readline())
    parent.kill()
    await parent.wait()
    await gone(pid)
