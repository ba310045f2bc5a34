from tests.support.admitted import asking, gate_for_all

from palabre.core.auth.model import Role
from palabre.core.history.model import NewLine
from palabre.core.history.service import History
from palabre.core.personas.model import Cast
from palabre.surfaces.admin.analytics import AnalyticsRoute
from palabre.testing.audit import MemoryLedger
from palabre.testing.clock import FrozenClock
from palabre.testing.history import MemoryHistoryStore
from palabre.testing.personas import a_persona


async def test_counts_have_their_shape() -> None:
    clock = FrozenClock()
    nicks = ("lea", "Batty", "Batty")
    lines = [NewLine(clock.now(), "#general", nick, "message", "x", 1) for nick in nicks]
    history = History(MemoryHistoryStore(*lines), MemoryLedger(clock), clock)
    cast = Cast((a_persona("Batty"),))
    route = AnalyticsRoute(history, lambda: cast, await gate_for_all())
    async with asking(route.router(), Role.VIEWER) as client:
        assert (await client.get("/api/v2/analytics")).json()["data"] == {
            "totalMessages": 3,
            "totalDays": 1,
            "personaMessages": {"Batty": 2},
            "userMessages": 1,
            "systemMessages": 0,
            "uploadsCount": 0,
            "messagesPerDay": [{"date": "2026-03-20", "count": 3}],
            "topPersonas": [{"nick": "Batty", "count": 2}],
        }
