import asyncio

import pytest

from palabre.surfaces.openai.guarded import while_here


class Line:
    """A client that stays until the test says otherwise."""

    def __init__(self) -> None:
        self.gone = asyncio.Event()

    async def receive(self):
        await self.gone.wait()
        return {"type": "http.disconnect"}


async def test_work_is_done_while_the_client_is_here() -> None:
    done: list[int] = []

    async def work() -> None:
        await asyncio.sleep(0)
        done.append(1)

    await while_here(Line().receive, work)
    assert done == [1]


async def test_work_ends_when_the_client_goes_away_and_nothing_is_raised() -> None:
    line, ended = Line(), asyncio.Event()

    async def work() -> None:
        line.gone.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with asyncio.timeout(5):
        await while_here(line.receive, work)
    assert ended.is_set()


@pytest.mark.parametrize("error", [ValueError, TimeoutError])
async def test_what_the_work_raises_is_raised_as_it_is(error: type[Exception]) -> None:
    async def work() -> None:
        raise error

    with pytest.raises(error):
        await while_here(Line().receive, work)


async def test_who_cancels_the_request_cancels_the_work() -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(while_here(Line().receive, work))
        await started.wait()
        task.cancel()
    assert ended.is_set()
    assert task.cancelled()
