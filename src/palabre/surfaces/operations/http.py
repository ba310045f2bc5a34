"""Health, readiness and figures over HTTP (seed 000 §15; shapes in its facts, 3.2)."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from palabre.core.models.model import OLLAMA, ProviderHealth
from palabre.core.models.registry import ModelRegistry
from palabre.core.personas.model import Cast
from palabre.core.telemetry.checkup import State
from palabre.core.telemetry.ports import HttpUse, Machine, Timing
from palabre.kernel.readable import readable_duration
from palabre.surfaces.http.envelope import Envelope
from palabre.surfaces.http.gate import OPEN
from palabre.surfaces.operations.shapes import (
    Alive,
    HealthShown,
    PerfShown,
    Ready,
    StatusShown,
)
from palabre.texts import say

APP = "palabre"
ROLES = ("admin", "editor", "operator", "viewer")
NO_GRAPHS = {"graphs": 0, "runs": 0, "running": 0, "queued": 0}
CHECK_TIMEOUT_S = 2.0
_UNWRITABLE = {
    "files": "the data dir cannot be written",
    "postgres": "the database does not answer",
}
LABELS = {
    "message_seconds": "ws_message",
    "reply_seconds": "persona_response",
    "memory_update_seconds": "persona_memory_update",
}
"""What figures call distributions of ours (facts of seed 000, 3.2)."""

EXPOSITION = "text/plain; version=0.0.4; charset=utf-8"

_FIGURES: dict[int | str, Any] = {
    200: {"description": "All figures", "content": {EXPOSITION: {"schema": {"type": "string"}}}}
}
_READY: dict[int | str, Any] = {
    200: {"model": Ready},
    503: {"model": Ready, "description": "Personas cannot answer"},
}


@dataclass(frozen=True, slots=True)
class Operations:
    """What is asked about.

    Attributes:
        cast: Returns all personas.
        storage: Says whether what must last can be written.
        exposition: Returns all metrics in the Prometheus text format.
        version: Of the program.
        personas: Returns how many there are, with those who do not speak; None: all speak.
        timings: Returns how long things took, by the names of their distributions.
        knowledge: Says whether all documents are found; personas can answer without.
        storage_kind: `files` or `postgres`: where what is said is kept.
    """

    cast: Callable[[], Cast]
    models: ModelRegistry
    machine: Machine
    storage: Callable[[], Awaitable[State]]
    exposition: Callable[[], bytes]
    version: str
    personas: Callable[[], int] | None = None
    timings: Callable[[], Mapping[str, Timing]] = dict
    knowledge: Callable[[], Awaitable[State]] | None = None
    storage_kind: str = "files"

    def router(self) -> APIRouter:
        """Return the routes."""
        routes: list[tuple[str, Callable[..., Any], dict[int | str, Any]]] = [
            ("/healthz", self._healthz, {200: {"model": Alive}}),
            ("/readyz", self._readyz, _READY),
            ("/metrics", self._metrics, _FIGURES),
            ("/api/v2/health", self._health, {200: {"model": Envelope[HealthShown]}}),
            ("/api/v2/status", self._status, {200: {"model": Envelope[StatusShown]}}),
            ("/api/v2/perf", self._perf, {200: {"model": Envelope[PerfShown]}}),
        ]
        router = APIRouter(tags=["operations"], dependencies=[OPEN])
        for path, answer, told in routes:
            kind = Response if told is _FIGURES else JSONResponse
            router.add_api_route(path, answer, methods=["GET"], responses=told, response_class=kind)
        return router

    async def _healthz(self) -> dict[str, bool]:
        """Say that the process answers."""
        return {"ok": True}

    async def _readyz(self) -> JSONResponse:
        """Say whether personas can answer, and how each dependency is; 503 if they cannot."""
        healths, storage = await asyncio.gather(self.models.health(), self._kept())
        usable = any(health.ok for name, health in healths.items() if self.models.may_use(name))
        personas = len(self.cast().personas)
        body: dict[str, Any] = {
            "ok": usable and storage.ok and personas > 0,
            "models": {"ok": usable, "providers": _shown(healths)},
            "storage": asdict(storage),
            "personas": asdict(State(personas > 0, str(personas))),
        }
        if self.knowledge is not None:
            body["knowledge"] = asdict(await self.knowledge())
        return JSONResponse(body, 200 if body["ok"] else 503)

    async def _metrics(self) -> Response:
        """Tell all figures in the Prometheus text format."""
        return Response(self.exposition(), media_type=EXPOSITION)

    async def _health(self) -> dict[str, Any]:
        """Say how the program and what it stands on are; always 200."""
        started_s = time.perf_counter()
        healths, storage = await asyncio.gather(self.models.health(), self._kept())
        ollama = await self._ollama(healths)
        uptime_s = self.machine.uptime_s()
        data = {
            "app": APP,
            "storage": self.storage_kind,
            "roles": ROLES,
            "uptime_sec": int(uptime_s),
            "uptime_human": readable_duration(uptime_s),
            "ollama": ollama,
            "models": _shown(healths),
            "database": {**_status(storage), "personas": len(self.cast().personas)},
            "health_check_ms": round((time.perf_counter() - started_s) * 1000),
        }
        return {"ok": True, "data": data}

    async def _status(self) -> dict[str, Any]:
        """Say what a strip at the edge of a page shows; nobody is asked for it."""
        active = len(self.cast().personas)
        total = active if self.personas is None else self.personas()
        data = {
            "name": APP,
            "version": self.version,
            "storage": self.storage_kind,
            "personas": {"total": total, "active": active},
            "nodeEngine": NO_GRAPHS,
        }
        return {"ok": True, "data": data}

    async def _perf(self) -> dict[str, Any]:
        """Say how fast answers over HTTP were since the start, and what memory is held."""
        use, uptime_s = self.machine.http(), self.machine.uptime_s()
        data = {
            "uptime_ms": int(uptime_s * 1000),
            "uptime_human": readable_duration(uptime_s),
            "requests": use.requests,
            "avg_latency_ms": round(use.mean_ms, 1),
            "max_latency_ms": round(use.max_ms, 1),
            "percentiles": self._all_percentiles(use),
            "status_codes": {str(status): count for status, count in use.statuses.items()},
            "memory": {"rss_mb": self.machine.resident_bytes() // 2**20},
        }
        return {"ok": True, "data": data}

    def _all_percentiles(self, use: HttpUse) -> dict[str, Any]:
        found = {LABELS[name]: each for name, each in self.timings().items() if name in LABELS}
        if use.requests:
            found["http"] = use.timing
        return {label: _percentiles(each) for label, each in found.items()}

    async def _kept(self) -> State:
        """Say whether what must last can be written, without naming a place to strangers."""
        ok = (await self.storage()).ok
        return State(ok, "" if ok else _UNWRITABLE[self.storage_kind])

    async def _ollama(self, healths: Mapping[str, ProviderHealth]) -> dict[str, Any]:
        health = healths.get(OLLAMA)
        if health is None:
            return _status(State(ok=False, detail="not configured"))
        if not health.ok:
            return _status(State(ok=False, detail=say(health.detail, "en")))
        try:
            async with asyncio.timeout(CHECK_TIMEOUT_S):
                found = await self.models.models()
        except TimeoutError:
            return _status(State(ok=False, detail="its list of models takes too long"))
        return {"status": "ok", "models_loaded": sum(each.provider == OLLAMA for each in found)}


def _status(state: State) -> dict[str, Any]:
    return {"status": "ok"} if state.ok else {"status": "error", "error": state.detail}


def _shown(healths: Mapping[str, ProviderHealth]) -> dict[str, Any]:
    return {
        name: {"ok": health.ok, "detail": say(health.detail, "en")}
        for name, health in healths.items()
    }


def _percentiles(use: Timing) -> dict[str, Any]:
    return {
        "count": use.count,
        "avgMs": round(use.mean_ms, 1),
        "p50": round(use.p50_ms, 1),
        "p95": round(use.p95_ms, 1),
        "p99": round(use.p99_ms, 1),
        "maxMs": round(use.max_ms, 1),
    }
