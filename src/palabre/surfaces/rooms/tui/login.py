"""Log in to a server whose rooms want a session."""

from dataclasses import dataclass, field
from typing import Any

import httpx2
import msgspec

from palabre.surfaces.rooms.tui.address import is_here

HEADER = "x-session-id"

_TIMEOUT_S = 15
INVALID_CREDENTIALS = "invalid_credentials"
_FINAL = frozenset({INVALID_CREDENTIALS, "validation_error"})
_KNOWN = _FINAL | {"rate_limited"}


class LoginRefusedError(Exception):
    """The server says no.

    Attributes:
        code: `invalid_credentials`, `rate_limited`, `validation_error`, or `other`.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code if code in _KNOWN else "other"

    @property
    def is_final(self) -> bool:
        """Whether the same name and password would be refused again."""
        return self.code in _FINAL


@dataclass(slots=True)
class Login:
    """Gets a session when one is needed, and another when it has ended.

    A password that was refused is not sent again.

    Attributes:
        url: Of the server's route.
        password: Empty for a guest.
    """

    url: str
    username: str
    password: str = field(repr=False)
    _session_id: str = field(default="", init=False, repr=False)
    _refusal: LoginRefusedError | None = field(default=None, init=False, repr=False)

    async def headers(self) -> dict[str, str]:
        """Return what a handshake has to show.

        Raises:
            LoginRefusedError: The server says no.
            OSError: It cannot be reached, or is none of ours.
        """
        if self._refusal is not None:
            raise LoginRefusedError(self._refusal.code)
        if not self._session_id:
            self._session_id = await self._welcomed()
        return {HEADER: self._session_id}

    def forget(self) -> None:
        """The session has ended: log in again when one is needed."""
        self._session_id = ""

    def retype(self, password: str) -> None:
        """Try *password* the next time."""
        self.password, self._refusal = password, None

    async def _welcomed(self) -> str:
        try:
            return await self._log_in()
        except LoginRefusedError as refusal:
            self._refusal = refusal if refusal.is_final else None
            raise

    async def _log_in(self) -> str:
        body = {"username": self.username} | ({"password": self.password} if self.password else {})
        try:
            async with httpx2.AsyncClient(
                timeout=_TIMEOUT_S, trust_env=not is_here(self.url)
            ) as client:
                answer = await client.post(self.url, json=body)
            told = msgspec.json.decode(answer.content)
        except (httpx2.HTTPError, msgspec.DecodeError) as error:
            raise ConnectionError(str(error) or type(error).__name__) from error
        return _session_id(told)


def _session_id(told: Any) -> str:
    match told:
        case {"ok": True, "data": {"id": str(session_id)}}:
            return session_id
        case {"error": str(code)}:
            raise LoginRefusedError(code)
        case _:
            raise LoginRefusedError("other")
