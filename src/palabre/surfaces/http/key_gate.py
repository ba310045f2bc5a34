"""Programs come in by a key: `Authorization: Bearer pal_...`."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from starlette.requests import HTTPConnection

from palabre.core.auth.api_keys import ApiKey, ApiKeys, Scope
from palabre.core.auth.key_limits import KeyTraffic


@dataclass(frozen=True, slots=True)
class KeyGate:
    """Lets requests through whose key opens what they ask for, as many as it may."""

    keys: ApiKeys
    traffic: KeyTraffic

    @asynccontextmanager
    async def place(
        self, request: HTTPConnection, scope: Scope | None = None
    ) -> AsyncGenerator[ApiKey]:
        """Keep a place for *request* for the length of the block, and give its key.

        Raises:
            UserError: There is no key, it does not open *scope*, or it asks for too much; see
                `ApiKeys.admit` and `KeyTraffic.place`.
        """
        key = await self.keys.admit(shown_key(request), scope)
        with self.traffic.place(key.id):
            yield key


def shown_key(request: HTTPConnection) -> str:
    """Return the key that a request shows; else empty."""
    scheme, _, shown = request.headers.get("authorization", "").partition(" ")
    return shown.strip() if scheme.lower() == "bearer" else ""
