import asyncio
import sys
import threading

from starlette.types import Receive, Scope, Send

from palabre.app.programs import MadeWhenAsked


async def ask(application: MadeWhenAsked) -> None:
    async def receive():
        raise AssertionError

    async def send(_message) -> None:
        raise AssertionError

    await application({"type": "http"}, receive, send)


async def test_an_application_is_made_once_in_a_thread_when_it_is_asked_for() -> None:
    made: list[threading.Thread] = []
    asked: list[Scope] = []

    def make():
        made.append(threading.current_thread())

        async def application(scope: Scope, _receive: Receive, _send: Send) -> None:
            asked.append(scope)

        return application

    application = MadeWhenAsked(make)
    assert made == []
    await asyncio.gather(*(ask(application) for _ in range(3)))
    assert len(asked) == 3
    [thread] = made
    assert thread is not threading.main_thread()


async def test_starting_the_server_imports_nothing_that_programs_alone_need() -> None:
    heavy = ("mcp", "palabre.surfaces.openai", "palabre.surfaces.mcp.desk")
    code = f"import palabre.app.http, sys; print([each for each in {heavy} if each in sys.modules])"
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE
    )
    assert (await child.communicate())[0].strip() == b"[]"
