from datetime import UTC, datetime

import pytest
from tests.support.admitted import asking, gate_for_all

from palabre.core.auth.model import Role
from palabre.core.history.errors import DateFormatError
from palabre.core.history.model import NewLine
from palabre.core.history.service import History
from palabre.surfaces.admin.history import HistoryRoutes, channel_named, parsed_date
from palabre.testing.audit import MemoryLedger
from palabre.testing.clock import FrozenClock
from palabre.testing.history import MemoryHistoryStore

AT = datetime(2026, 3, 20, 10, tzinfo=UTC)


async def routes(*texts: str) -> HistoryRoutes:
    lines = [NewLine(AT, "#general", "lea", "message", words, 9) for words in texts]
    clock = FrozenClock()
    history = History(MemoryHistoryStore(*lines), MemoryLedger(clock), clock)
    return HistoryRoutes(history, await gate_for_all())


async def test_days_lines_and_results_have_their_shapes() -> None:
    async with asking((await routes("un mot", "deux")).router(), Role.VIEWER) as client:
        days = (await client.get("/api/v2/chat/history")).json()["data"]
        page = (await client.get("/api/v2/chat/history/2026-03-20?limit=1")).json()["data"]
        found = (await client.get("/api/v2/chat/search?q=mot")).json()
    assert days == {"files": [{"date": "2026-03-20", "lines": 2, "size": 18}]}
    ts = "2026-03-20T10:00:00.000Z"
    said = {"ts": ts, "nick": "lea", "text": "un mot", "type": "message", "channel": "#general"}
    assert page == {"messages": [said], "total": 2, "limit": 1, "offset": 0}
    assert found == {
        "results": [{**said, "date": "2026-03-20", "id": 1}],
        "query": "mot",
        "total": 1,
        "next": None,
        "complete": True,
    }


async def test_a_search_may_keep_to_a_channel() -> None:
    async with asking((await routes("un mot")).router(), Role.VIEWER) as client:
        for channel, count in (("general", 1), ("%23general", 1), ("lab", 0)):
            body = (await client.get(f"/api/v2/chat/search?q=mot&channel={channel}")).json()
            assert body["total"] == count


def test_a_date_is_written_in_one_way() -> None:
    assert parsed_date("2026-03-20") == AT.date()
    for words in ("20260320", "2026-3-20", "2026-02-30", "", "x" * 900):
        with pytest.raises(DateFormatError):
            parsed_date(words)


def test_a_channel_may_be_named_without_its_sign() -> None:
    assert channel_named("lab") == channel_named("#lab") == "#lab"
