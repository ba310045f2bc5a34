"""Seed 000 §15: what anybody may ask."""

import pytest
from tests.support.desk import stranger
from tests.support.rooms import house

from palabre.testing.models import ScriptedProvider

OPEN_PATHS = ("/api/v2/health", "/api/v2/status", "/api/v2/perf")


async def test_health_tells_of_each_part_and_how_long_that_took() -> None:
    """§15 — GET /api/v2/health Health check avec subsystem checks
    §15 — (Ollama tags, database persona count, uptime, latence)
    """
    async with house("Bonjour.") as place:
        answer = await stranger(place).get("/api/v2/health")
        told = answer.data
        assert answer.status == 200
        assert told["ollama"] == {"status": "ok", "models_loaded": 1}
        assert told["database"] == {"status": "ok", "personas": 3}
        assert told["roles"] == ["admin", "editor", "operator", "viewer"]
        assert (type(told["uptime_sec"]), type(told["health_check_ms"])) == (int, int)
        assert told["uptime_human"].endswith("s")


async def test_health_is_told_by_a_house_whose_models_are_away() -> None:
    """§15 — GET /api/v2/health Health check avec subsystem checks"""
    provider = ScriptedProvider("Bonjour.", name="ollama", models=("qwen3:8b",))
    async with house(provider=provider) as place:
        provider.down = "connection refused"
        answer = await stranger(place).get("/api/v2/health")
        assert answer.status == 200
        assert answer.data["ollama"]["status"] == "error"
        assert answer.data["ollama"]["error"]
        assert answer.data["database"]["status"] == "ok"


@pytest.mark.parametrize("rooms", ["open", "session"])
async def test_anybody_may_ask_even_where_rooms_want_a_session(rooms: str) -> None:
    """§15 — Public (pas d'auth)"""
    async with house("Bonjour.", auth={"rooms": rooms}) as place:
        for path in OPEN_PATHS:
            assert (await stranger(place).get(path)).status == 200, path
