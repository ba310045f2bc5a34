"""Health, readiness and figures over HTTP."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from palabre.core.chat.service import ChatService
from palabre.core.models.model import OLLAMA
from palabre.core.models.registry import ModelRegistry
from palabre.core.telemetry.ports import Machine

_APP = "palabre"


@dataclass(frozen=True, slots=True)
class Operations:
    """What is asked about.

    Attributes:
        exposition: Returns all metrics in the Prometheus text format.
    """

    chat: ChatService
    models: ModelRegistry
    machine: Machine
    exposition: Callable[[], bytes]
    storage: str = "files"

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter()
        router.add_api_route("/healthz", self._healthz, methods=["GET"])
        router.add_api_route("/readyz", self._readyz, methods=["GET"])
        router.add_api_route("/metrics", self._metrics, methods=["GET"])
        router.add_api_route("/api/v2/health", self._health, methods=["GET"])
        router.add_api_route("/api/v2/perf", self._perf, methods=["GET"])
        return router

    async def _healthz(self) -> dict[str, bool]:
        """Say that the process answers."""
        return {"ok": True}

    async def _readyz(self) -> JSONResponse:
        """Say whether personas can answer, and what each dependency says; 503 if not."""
        checks = await self._model_checks()
        personas = len(self.chat.cast.personas)
        ready = personas > 0 and any(check["ok"] for check in checks.values())
        body = {"ok": ready, "personas": personas, "models": checks}
        return JSONResponse(body, 200 if ready else 503)

    async def _metrics(self) -> Response:
        return Response(self.exposition(), media_type="text/plain; version=0.0.4; charset=utf-8")

    async def _health(self) -> dict[str, Any]:
        """Answer as seed 000 does (facts 3.2); always 200."""
        uptime_s = self.machine.uptime_s()
        checks = await self._model_checks()
        data = {
            "app": _APP,
            "storage": self.storage,
            "uptime_sec": int(uptime_s),
            "ollama": _ollama(checks),
            "models": checks,
            "database": {"status": "ok", "personas": len(self.chat.cast.personas)},
        }
        return {"ok": True, "data": data}

    async def _perf(self) -> dict[str, Any]:
        use = self.machine.http()
        data = {
            "uptime_ms": int(self.machine.uptime_s() * 1000),
            "requests": use.requests,
            "avg_latency_ms": round(use.mean_ms, 1),
            "max_latency_ms": round(use.max_ms, 1),
            "memory": {"rss_mb": self.machine.resident_bytes() // 2**20},
        }
        return {"ok": True, "data": data}

    async def _model_checks(self) -> dict[str, dict[str, Any]]:
        names = list(self.models.providers)
        found = await asyncio.gather(*(self.models.providers[name].health() for name in names))
        return {
            name: {"ok": health.ok, "detail": health.detail}
            for name, health in zip(names, found, strict=True)
        }


def _ollama(checks: dict[str, dict[str, Any]]) -> dict[str, Any]:
    check = checks.get(OLLAMA)
    if check is None:
        return {"status": "error", "error": "not configured"}
    return {"status": "ok"} if check["ok"] else {"status": "error", "error": check["detail"]}
