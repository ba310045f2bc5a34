from collections.abc import Mapping
from datetime import UTC, datetime

from tests.support.admitted import asking, gate_for_all

from palabre.core.auth.model import Role
from palabre.core.telemetry.ports import ErrorSeen
from palabre.surfaces.operations.errors import ErrorsRoute


class TwoErrors:
    def recent(self) -> tuple[ErrorSeen, ...]:
        at = datetime(2026, 3, 20, 10, tzinfo=UTC)
        calls = ("reply.py:7 in _answer", "reply.py:3 in run")
        return (
            ErrorSeen(at, "reply", "reply failed: KeyError", calls, "error_0_1"),
            *[ErrorSeen(at, "serve", "no model is ready: %s")] * 100,
        )

    def counts(self) -> Mapping[str, int]:
        return {"reply": 1, "serve": 300}


async def test_errors_are_the_last_fifty_and_the_counts_of_all() -> None:
    route = ErrorsRoute(TwoErrors(), await gate_for_all())
    async with asking(route.router(), Role.VIEWER) as client:
        data = (await client.get("/api/v2/errors")).json()["data"]
    assert len(data["recent"]) == 50
    assert data["recent"][0] == {
        "timestamp": "2026-03-20T10:00:00+00:00",
        "label": "reply",
        "message": "reply failed: KeyError",
        "stack": "reply.py:7 in _answer\nreply.py:3 in run",
        "context": {"reference": "error_0_1"},
    }
    assert data["recent"][1]["context"] == {}
    assert data["counts"] == {"reply": 1, "serve": 300}


async def test_errors_are_for_sessions_alone() -> None:
    route = ErrorsRoute(TwoErrors(), await gate_for_all())
    async with asking(route.router(), Role.VIEWER) as client:
        client.headers.clear()
        assert (await client.get("/api/v2/errors")).status_code == 401
