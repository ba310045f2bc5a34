from datetime import timedelta

from tests.support.admitted import asking, gate_for_all

from palabre.core.auth.model import Role
from palabre.core.history.model import NewLine
from palabre.core.history.service import History
from palabre.surfaces.admin.retention import RetentionRoute
from palabre.testing.audit import MemoryLedger
from palabre.testing.clock import FrozenClock
from palabre.testing.history import MemoryHistoryStore

PATH = "/api/v2/admin/retention-sweep"


async def test_a_sweep_tells_how_many_days_and_messages_it_deleted() -> None:
    clock = FrozenClock()
    ages = [timedelta(days=age) for age in (31, 31, 30, 0)]
    lines = [NewLine(clock.now() - age, "#general", "lea", "message", "x", 1) for age in ages]
    ledger = MemoryLedger(clock)
    history = History(MemoryHistoryStore(*lines), ledger, clock)
    route = RetentionRoute(history, await gate_for_all())
    async with asking(route.router(), Role.OPERATOR) as client:
        swept = await client.post(PATH, json={})
        assert swept.json() == {"ok": True, "deleted": 1, "messages": 2}
        assert (await client.post(PATH, json={"maxAgeDays": 0})).status_code == 400
    (entry,) = ledger.book
    assert (entry.actor.name, entry.action) == ("operator", "retention.sweep")


async def test_viewers_and_editors_delete_nothing() -> None:
    history = History(MemoryHistoryStore(), MemoryLedger(FrozenClock()), FrozenClock())
    route = RetentionRoute(history, await gate_for_all())
    for role in (Role.VIEWER, Role.EDITOR):
        async with asking(route.router(), role) as client:
            assert (await client.post(PATH, json={})).status_code == 403
