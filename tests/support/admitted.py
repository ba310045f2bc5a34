"""Routes alone, asked by somebody of each role."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx2
from fastapi import APIRouter, FastAPI

from palabre.core.auth.model import SESSION_LIFE, Role, Session
from palabre.core.auth.service import AuthRules, AuthService, fingerprint
from palabre.surfaces.http.errors import answer_errors_in_json
from palabre.surfaces.http.gate import HEADER, Gate
from palabre.testing.auth import (
    CountingSecrets,
    MemoryAccountStore,
    MemorySessionStore,
    PlainHasher,
)
from palabre.testing.clock import FrozenClock
from palabre.testing.ids import CountingIds


async def gate_for_all() -> Gate:
    """Return a gate that knows a session of each role; its id is the role's name."""
    clock, sessions = FrozenClock(), MemorySessionStore()
    for role in Role:
        until = clock.now() + SESSION_LIFE
        await sessions.add(Session(fingerprint(role), role, role, clock.now(), until))
    return Gate(
        AuthService(
            accounts=MemoryAccountStore(),
            sessions=sessions,
            hasher=PlainHasher(),
            secrets=CountingSecrets(),
            clock=clock,
            rules=AuthRules(),
        )
    )


@asynccontextmanager
async def asking(router: APIRouter, role: Role) -> AsyncGenerator[httpx2.AsyncClient]:
    """Give a client of *router* with a session of *role*."""
    http = FastAPI()
    answer_errors_in_json(http, CountingIds())
    http.include_router(router)
    transport = httpx2.ASGITransport(http)
    async with httpx2.AsyncClient(
        transport=transport, base_url="http://house", headers={HEADER: role}
    ) as client:
        yield client
