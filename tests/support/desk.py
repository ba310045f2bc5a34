"""Somebody who uses the HTTP API of a house with a session of some role."""

import hashlib
import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx2
from tests.support.rooms import House

from palabre.adapters.storage.sql.sessions import SqlSessionStore
from palabre.core.auth.model import Role, Session


@dataclass(frozen=True)
class Answered:
    """What was answered over HTTP."""

    status: int
    body: Any
    headers: httpx2.Headers
    text: str

    @property
    def data(self) -> Any:
        assert self.body["ok"], self.body
        return self.body["data"]

    @property
    def error(self) -> str:
        assert not self.body["ok"]
        return self.body["error"]


class Caller:
    """Asks over HTTP; the body is JSON."""

    def __init__(self, base_url: str, headers: dict[str, str]) -> None:
        self._base_url = base_url
        self.headers = headers

    async def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answered:
        sent = {} if body is None else {"content": json.dumps(body)}
        if sent:
            headers = {"content-type": "application/json", **headers}
        async with httpx2.AsyncClient(base_url=self._base_url, timeout=30) as client:
            answer = await client.request(method, path, headers={**self.headers, **headers}, **sent)
        is_json = answer.headers.get("content-type", "").startswith("application/json")
        return Answered(
            answer.status_code, answer.json() if is_json else None, answer.headers, answer.text
        )

    async def get(self, path: str) -> Answered:
        return await self.ask("GET", path)

    async def post(self, path: str, body: Any = None, **headers: str) -> Answered:
        return await self.ask("POST", path, body, **headers)

    async def put(self, path: str, body: Any) -> Answered:
        return await self.ask("PUT", path, body)

    async def delete(self, path: str) -> Answered:
        return await self.ask("DELETE", path)


async def caller(place: House, role: Role = Role.EDITOR, username: str = "anne") -> Caller:
    """Return somebody of *role* with a session that was begun just now."""
    session_id = hashlib.sha256(f"{username} {role}".encode()).hexdigest()
    fingerprint = hashlib.sha256(session_id.encode()).hexdigest()
    now = place.app.ports.clock.now()
    session = Session(fingerprint, username, role, now, now + timedelta(hours=1))
    await SqlSessionStore(place.app.database).add(session)
    return Caller(place.http_url, {"x-session-id": session_id})


def stranger(place: House) -> Caller:
    """Return somebody without a session."""
    return Caller(place.http_url, {})
