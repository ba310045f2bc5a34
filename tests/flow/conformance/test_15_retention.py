"""Old logs are deleted: seed 000 §15, and `retentionSweepSchema` of §16."""

import asyncio
import json
from typing import Any

import pytest
from tests.support.desk import caller, stranger
from tests.support.logged_days import Place, days_ago, place, said

from palabre.core.audit.model import EntryFilter
from palabre.core.auth.model import Role

__all__ = ["place"]

SWEEP = "/api/v2/admin/retention-sweep"


async def test_old_logs_are_deleted_and_told(place: Place) -> None:
    """§15 — `POST /api/v2/admin/retention-sweep` deletes logs that are too old, says how many."""
    for age in (0, 1, 7, 8, 40):
        place.log(days_ago(place, age), said("un"), said("deux"))
    await place.viewer.get("/api/v2/chat/history")
    operator = await caller(place.house, Role.OPERATOR)
    answer = await operator.post(SWEEP, {"maxAgeDays": 7})
    assert (answer.status, answer.body) == (200, {"ok": True, "deleted": 2, "messages": 4})
    left = sorted(path.name[3:13] for path in (place.data_dir / "chat-logs").glob("v2-*.jsonl"))
    assert left == sorted(days_ago(place, age) for age in (0, 1, 7))
    listed = (await place.viewer.get("/api/v2/chat/history")).data["files"]
    assert sorted(each["date"] for each in listed) == left
    assert (await place.search("un"))["total"] == 3
    assert (await operator.post(SWEEP, {"maxAgeDays": 7})).body["deleted"] == 0


async def test_thirty_days_are_kept_where_nobody_says_how_many(place: Place) -> None:
    """Decision — without `maxAgeDays`, and without a body, 30 days are kept."""
    for age in (30, 31):
        place.log(days_ago(place, age), said("un"))
    operator = await caller(place.house, Role.OPERATOR)
    assert (await operator.post(SWEEP, {})).body["deleted"] == 1
    assert (await operator.post(SWEEP)).body["deleted"] == 0


@pytest.mark.parametrize(
    ("age", "status"),
    [
        (1, 200),
        (365, 200),
        (0, 400),
        (366, 400),
        (-1, 400),
        ("x", 400),
        (1.5, 400),
        (None, 400),
        (30.0, 200),
        (True, 400),
        ("30", 400),
    ],
)
async def test_an_age_has_its_limits(place: Place, age: Any, status: int) -> None:
    """§16 — `retentionSweepSchema`: `maxAgeDays` is a whole number from 1 to 365."""
    operator = await caller(place.house, Role.OPERATOR)
    answer = await operator.post(SWEEP, {"maxAgeDays": age, "extra": True})
    assert answer.status == status
    if status == 400:
        assert (answer.error, bool(answer.body["details"])) == ("validation_error", True)


async def test_only_those_who_operate_delete(place: Place) -> None:
    """§15 — the retention sweep needs `node_engine:operate`."""
    place.log(days_ago(place, 90), said("un"))
    assert (await stranger(place.house).post(SWEEP, {})).status == 401
    for role in (Role.VIEWER, Role.EDITOR):
        answer = await (await caller(place.house, role, role.value)).post(SWEEP, {})
        assert (answer.status, answer.error) == (403, "permission_denied")
    assert len(list((place.data_dir / "chat-logs").iterdir())) == 1


async def test_a_deletion_is_in_the_book(place: Place) -> None:
    """§14 — every change by an administrator can be audited."""
    place.log(days_ago(place, 90), said("un"))
    await place.viewer.get("/api/v2/chat/history")
    await (await caller(place.house, Role.OPERATOR, "otto")).post(SWEEP, {"maxAgeDays": 60})
    (entry,) = await place.house.app.ledger.entries(EntryFilter(action="retention.sweep"), 5)
    assert (entry.actor.name, entry.target) == ("otto", "chat-logs")
    assert json.loads(entry.before) == {"days": 1, "messages": 1}
    assert json.loads(entry.after)["maxAgeDays"] == 60


async def test_a_search_during_a_deletion_harms_nobody(place: Place) -> None:
    """§15 — reading and deleting go side by side."""
    for age in range(40):
        place.log(days_ago(place, age), *(said(f"mot {number}") for number in range(20)))
    operator = await caller(place.house, Role.OPERATOR)
    sweep = operator.post(SWEEP, {"maxAgeDays": 5})
    answers = await asyncio.gather(sweep, *(place.search("mot") for _ in range(5)))
    assert answers[0].body["deleted"] == 34
    assert all(each["total"] == 50 for each in answers[1:])
