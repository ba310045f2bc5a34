"""What the program tells about itself over HTTP."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI
from starlette.testclient import TestClient

from palabre.core.models.registry import ModelRegistry
from palabre.core.telemetry.checkup import State
from palabre.core.telemetry.ports import HttpUse, Timing
from palabre.surfaces.operations.http import Operations
from palabre.testing.clock import FrozenClock
from palabre.testing.models import ScriptedProvider
from palabre.testing.personas import StaticPersonaLibrary, a_persona


class BusyMachine:
    def uptime_s(self) -> float:
        return 188.4

    def resident_bytes(self) -> int:
        return 50 * 2**20

    def http(self) -> HttpUse:
        return HttpUse(3, 2.04, 4.0, 1.0, 3.9, 3.9, {200: 2, 404: 1})

    async def gpu(self) -> None:
        return None


@dataclass
class Place:
    """The routes, with everything well unless a test says otherwise."""

    provider: ScriptedProvider = field(
        default_factory=lambda: ScriptedProvider(name="ollama", models=("a", "b"))
    )
    personas: tuple[str, ...] = ("Batty", "Schaeffer")
    writable: bool = True
    timings: Mapping[str, Timing] = field(default_factory=dict)
    knowledge: Callable[[], Awaitable[State]] | None = None
    storage_kind: str = "files"

    def get(self, path: str) -> Any:
        clock, library = FrozenClock(), StaticPersonaLibrary(*map(a_persona, self.personas))
        operations = Operations(
            cast=lambda: library.cast,
            models=ModelRegistry([self.provider], default_model="a", clock=clock),
            machine=BusyMachine(),
            storage=self._storage,
            exposition=lambda: b"figure 1\n",
            version="9.9",
            timings=lambda: self.timings,
            knowledge=self.knowledge,
            storage_kind=self.storage_kind,
        )
        http = FastAPI()
        http.include_router(operations.router())
        return TestClient(http).get(path)

    def data(self, path: str) -> dict[str, Any]:
        answer = self.get(path)
        assert answer.status_code == 200
        assert answer.json()["ok"] is True
        return answer.json()["data"]

    async def _storage(self) -> State:
        return State(self.writable, "/a/secret/place")


def test_a_process_that_answers_is_alive() -> None:
    assert Place().get("/healthz").json() == {"ok": True}


def test_it_is_ready_when_all_that_it_stands_on_is() -> None:
    answer = Place().get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {
        "ok": True,
        "models": {"ok": True, "providers": {"ollama": {"ok": True, "detail": "1.0"}}},
        "storage": {"ok": True, "detail": ""},
        "personas": {"ok": True, "detail": "2"},
    }


def test_it_is_not_ready_without_a_model_and_says_why() -> None:
    place = Place()
    place.provider.down = "connection refused"
    answer = place.get("/readyz")
    assert answer.status_code == 503
    provider = answer.json()["models"]["providers"]["ollama"]
    assert provider == {"ok": False, "detail": "connection refused"}
    assert answer.json()["storage"]["ok"] is True


def test_it_is_not_ready_without_a_place_to_write_and_keeps_that_place_to_itself() -> None:
    answer = Place(writable=False).get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["storage"] == {"ok": False, "detail": "the data dir cannot be written"}
    assert "secret" not in answer.text


def test_a_database_is_told_as_what_it_is_and_when_it_is_away() -> None:
    place = Place(storage_kind="postgres", writable=False)
    assert place.data("/api/v2/health")["storage"] == "postgres"
    assert place.data("/api/v2/status")["storage"] == "postgres"
    told = place.get("/readyz").json()["storage"]
    assert told == {"ok": False, "detail": "the database does not answer"}


def test_it_is_not_ready_without_personas() -> None:
    answer = Place(personas=()).get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["personas"] == {"ok": False, "detail": "0"}


def test_it_is_ready_without_its_documents_and_says_so() -> None:
    async def waiting() -> State:
        return State(ok=False, detail="2 wait")

    answer = Place(knowledge=waiting).get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["knowledge"] == {"ok": False, "detail": "2 wait"}


def test_health_has_the_shape_of_the_existing_program() -> None:
    data = Place().data("/api/v2/health")
    assert data.pop("health_check_ms") >= 0
    assert data == {
        "app": "palabre",
        "storage": "files",
        "roles": ["admin", "editor", "operator", "viewer"],
        "uptime_sec": 188,
        "uptime_human": "0h3m8s",
        "ollama": {"status": "ok", "models_loaded": 2},
        "models": {"ollama": {"ok": True, "detail": "1.0"}},
        "database": {"status": "ok", "personas": 2},
    }


def test_health_answers_200_however_ill_it_is() -> None:
    place = Place(writable=False)
    place.provider.down = "connection refused"
    data = place.data("/api/v2/health")
    assert data["ollama"] == {"status": "error", "error": "connection refused"}
    error = "the data dir cannot be written"
    assert data["database"] == {"status": "error", "error": error, "personas": 2}


def test_health_says_when_there_is_no_ollama() -> None:
    data = Place(provider=ScriptedProvider(name="embedded")).data("/api/v2/health")
    assert data["ollama"] == {"status": "error", "error": "not configured"}


def test_status_asks_nobody() -> None:
    place = Place()
    assert place.data("/api/v2/status") == {
        "name": "palabre",
        "version": "9.9",
        "storage": "files",
        "personas": {"total": 2, "active": 2},
        "nodeEngine": {"graphs": 0, "runs": 0, "running": 0, "queued": 0},
    }
    assert place.provider.lists_asked == 0


def test_perf_has_percentiles_and_statuses() -> None:
    assert Place().data("/api/v2/perf") == {
        "uptime_ms": 188_400,
        "uptime_human": "0h3m8s",
        "requests": 3,
        "avg_latency_ms": 2.0,
        "max_latency_ms": 4.0,
        "percentiles": {
            "http": {"count": 3, "avgMs": 2.0, "p50": 1.0, "p95": 3.9, "p99": 3.9, "maxMs": 4.0}
        },
        "status_codes": {"200": 2, "404": 1},
        "memory": {"rss_mb": 50},
    }


def test_figures_name_what_else_is_timed() -> None:
    place = Place(
        timings={"reply_seconds": Timing(2, 900.04, 1500, 300, 1500, 1500), "x": Timing()}
    )
    percentiles = place.data("/api/v2/perf")["percentiles"]
    assert sorted(percentiles) == ["http", "persona_response"]
    assert percentiles["persona_response"] == {
        "count": 2,
        "avgMs": 900.0,
        "maxMs": 1500,
        "p50": 300,
        "p95": 1500,
        "p99": 1500,
    }


def test_metrics_are_plain_text_for_prometheus() -> None:
    answer = Place().get("/metrics")
    assert answer.content == b"figure 1\n"
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
