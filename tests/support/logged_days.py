"""A house whose days have logs, and somebody who reads them."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from tests.support.desk import Caller, caller
from tests.support.rooms import House, house

from palabre.core.auth.model import Role

DAY = "2026-03-20"


@dataclass
class Place:
    house: House
    data_dir: Path
    viewer: Caller

    def log(self, day: str, *lines: dict[str, Any] | str) -> None:
        folder = self.data_dir / "chat-logs"
        folder.mkdir(exist_ok=True)
        with (folder / f"v2-{day}.jsonl").open("a") as file:
            file.writelines(f"{e if isinstance(e, str) else json.dumps(e)}\n" for e in lines)

    async def search(self, words: str, more: str = "") -> Any:
        answer = await self.viewer.get(f"/api/v2/chat/search?q={quote(words)}{more}")
        assert answer.status == 200, answer.text
        return answer.body


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    data_dir = tmp_path / "data"
    async with house("Bonjour.", data_dir=data_dir) as running:
        yield Place(running, data_dir, await caller(running, Role.VIEWER, "lea"))


def said(words: str, nick: str = "lea", hour: int = 10, **other: Any) -> dict[str, Any]:
    at = f"{other.pop('day', DAY)}T{hour:02}:00:00.000Z"
    return {"ts": at, "channel": "#general", "nick": nick, "type": "message", "text": words} | other


def days_ago(place: Place, count: int) -> str:
    today = place.house.app.ports.clock.now().date()
    return (today - timedelta(days=count)).isoformat()
