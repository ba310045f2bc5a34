"""The socket of a client: opens it, opens it again (seed 000 §5.4), and reports what happens."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import TypeAlias

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from palabre.surfaces.rooms.tui.address import is_here
from palabre.surfaces.rooms.tui.backoff import Backoff
from palabre.surfaces.rooms.tui.login import Login, LoginRefusedError
from palabre.wire.rooms import ClientFrame, ProtocolError, ServerFrame, decode_server, encode

MAX_FRAME_BYTES = 32 * 1024 * 1024
OPEN_TIMEOUT_S = 10
CLOSE_TIMEOUT_S = 1
_REFUSALS = range(400, 500)

SESSION_ENDED, NAME_REFUSED = "4401", "4409"
"""Close codes of the server; with the second, nobody by that name comes in."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The connection stands."""


@dataclass(frozen=True, slots=True)
class Received:
    """A frame came in."""

    frame: ServerFrame


@dataclass(frozen=True, slots=True)
class Lost:
    """The connection broke or could not be made.

    `reason` is a close code with the server's words, `HTTP` with a status, `LOGIN` with a code,
    or what the machine said; empty when the line went dead.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """Attempt number `attempt` (from 1) follows in `delay_s` seconds."""

    attempt: int
    delay_s: int


@dataclass(frozen=True, slots=True)
class GaveUp:
    """No attempt follows until `retry` is called."""


Event: TypeAlias = Opened | Received | Lost | Waiting | GaveUp
Sleep: TypeAlias = Callable[[float], Awaitable[None]]


class Connection:
    """A connection to one server that mends itself.

    Args:
        address: Returns the WebSocket address of the next attempt; the nick in it may change.
        report: Called with each event, in the event loop, in order.
        sleep: Waits for a number of seconds.
        login: Who comes; None where nobody is asked.
    """

    def __init__(
        self,
        address: Callable[[], str],
        report: Callable[[Event], None],
        sleep: Sleep = asyncio.sleep,
        login: Login | None = None,
    ) -> None:
        self._login = login
        self._address = address
        self._report = report
        self._sleep = sleep
        self._socket: ClientConnection | None = None
        self._backoff = Backoff()
        self._refused = False
        self._was_inside = False
        self._retry = asyncio.Event()

    async def run(self) -> None:
        """Keep the connection until cancelled. Cancelling closes the socket."""
        while True:
            await self._converse()
            if self._refused or self._backoff.exhausted:
                await self._wait_for_retry()
            else:
                await self._pause()

    async def send(self, frame: ClientFrame) -> bool:
        """Send *frame*; return whether there was a connection to send it on."""
        if self._socket is None:
            return False
        try:
            await self._socket.send(encode(frame), text=True)
        except ConnectionClosed:
            return False
        return True

    def retry(self) -> None:
        """Try at once, with all attempts anew; nothing while a connection stands."""
        self._backoff = Backoff()
        self._retry.set()

    async def _converse(self) -> None:
        """Hold one connection from its first try to its end."""
        self._refused = False
        try:
            headers = await self._login.headers() if self._login else {}
            async with self._opening(headers) as socket:
                await self._listen(socket)
        except LoginRefusedError as error:
            self._refused = True
            self._report(Lost(f"LOGIN {error.code}"))
        except InvalidStatus as error:
            self._handshake_refused(error.response.status_code)
        except ConnectionClosed as error:
            self._closed(_close_reason(error))
        except (OSError, TimeoutError, WebSocketException) as error:
            self._report(Lost(str(error) or type(error).__name__))
        finally:
            self._socket = None

    def _handshake_refused(self, status: int) -> None:
        """Do not ask again, unless the session of before is no more and we can get another."""
        self._refused = status in _REFUSALS
        if status == HTTPStatus.UNAUTHORIZED and self._login and self._was_inside:
            self._refused, self._was_inside = False, False
            self._login.forget()
        self._report(Lost(f"HTTP {status}"))

    def _closed(self, reason: str) -> None:
        code = reason.partition(" ")[0]
        self._refused = code == NAME_REFUSED
        if code == SESSION_ENDED and self._login:
            self._login.forget()
        self._report(Lost(reason))

    def _opening(self, headers: Mapping[str, str]) -> connect:
        address = self._address()
        return connect(
            address,
            compression=None,
            additional_headers=headers,
            max_size=MAX_FRAME_BYTES,
            open_timeout=OPEN_TIMEOUT_S,
            close_timeout=CLOSE_TIMEOUT_S,
            proxy=None if is_here(address) else True,
            logger=_SILENT,
        )

    async def _listen(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._was_inside = True
        self._backoff = Backoff()
        self._report(Opened())
        while True:
            raw = await socket.recv()
            try:
                frame = decode_server(raw)
            except ProtocolError:
                continue
            self._report(Received(frame))

    async def _pause(self) -> None:
        """Wait as long as the schedule says, or until `retry`."""
        waiting, self._backoff = self._backoff, self._backoff.failed()
        self._retry.clear()
        self._report(Waiting(waiting.attempts + 1, waiting.delay_s))
        async with asyncio.TaskGroup() as group:
            pause = group.create_task(self._until(waiting.delay_s))
            hurry = group.create_task(self._retry.wait())
            await asyncio.wait((pause, hurry), return_when=asyncio.FIRST_COMPLETED)
            pause.cancel()
            hurry.cancel()

    async def _until(self, delay_s: float) -> None:
        await self._sleep(delay_s)

    async def _wait_for_retry(self) -> None:
        self._retry.clear()
        self._report(GaveUp())
        await self._retry.wait()


def _close_reason(error: ConnectionClosed) -> str:
    """Return code and words of the one who closed first; nothing when the line went dead."""
    close = error.rcvd if error.rcvd_then_sent else error.sent or error.rcvd
    return "" if close is None else f"{close.code} {close.reason}".rstrip()


_SILENT = logging.getLogger("palabre.tui.socket")
_SILENT.addHandler(logging.NullHandler())
_SILENT.propagate = False
