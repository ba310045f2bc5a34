"""A route for programs with a key; who goes away is not worked for any longer."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from palabre.core.auth.api_keys import ApiKey
from palabre.core.auth.api_keys import Scope as KeyScope
from palabre.surfaces.http.key_gate import KeyGate
from palabre.surfaces.http.program_bodies import in_time

T = TypeVar("T")
Read = Callable[[Request], Awaitable[T]]
Answer = Callable[[T, ApiKey], Awaitable[ASGIApp]]


class Guarded(Generic[T]):
    """Checks the key, reads what is asked, and answers it, all in the key's one place.

    Args:
        gate: Who lets in.
        scope: What the key must open; None for any key.
        read: Reads the request whole.
        answer: Returns the response, which is sent in the same place.
    """

    def __init__(
        self, gate: KeyGate, scope: KeyScope | None, read: Read[T], answer: Answer[T]
    ) -> None:
        self._gate = gate
        self._scope = scope
        self._read = read
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        async with self._gate.place(request, self._scope) as key:
            async with in_time():
                asked = await self._read(request)

            async def respond() -> None:
                response = await self._answer(asked, key)
                await response(scope, receive, send)

            await while_here(receive, respond)


async def while_here(receive: Receive, work: Callable[[], Awaitable[None]]) -> None:
    """Do *work*; cancel it when the client goes away. The request was read to its end."""
    here = asyncio.timeout(None)
    try:
        async with asyncio.TaskGroup() as tasks:
            async with here:
                watching = tasks.create_task(_watch(receive, here))
                await work()
            watching.cancel()
    except BaseExceptionGroup as group:
        if not here.expired():
            raise group.exceptions[0] from None


async def _watch(receive: Receive, here: asyncio.Timeout) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    here.reschedule(asyncio.get_running_loop().time())
