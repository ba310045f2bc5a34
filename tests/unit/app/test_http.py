"""The program as one ASGI application: who is answered, and what."""

from pathlib import Path
from typing import Any

import httpx2

from palabre.app.bootstrap import running
from palabre.app.http import create_http
from palabre.app.parts import Parts
from palabre.app.settings import Settings
from palabre.core.models.registry import ModelRegistry
from palabre.testing.clock import FrozenClock
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.models import ScriptedProvider
from palabre.testing.personas import StaticPersonaLibrary, a_persona

EVERYWHERE = "0.0.0.0"  # noqa: S104 - an address that others reach


async def answered(folder: Path, path: str, asked: str = "localhost", **server: Any) -> Any:
    parts = Parts(
        store=MemoryMessageStore(),
        models=ModelRegistry(
            [ScriptedProvider(name="ollama")], default_model="parrot", clock=FrozenClock()
        ),
        library=StaticPersonaLibrary(a_persona("Batty")),
    )
    settings = Settings.model_validate({"data_dir": folder, "server": server})
    async with running(settings, parts) as app:
        transport = httpx2.ASGITransport(app=create_http(app))
        async with httpx2.AsyncClient(transport=transport, base_url=f"http://{asked}") as client:
            await client.get("/healthz")
            return await client.get(path)


async def test_this_machines_names_are_answered_with_headers_that_keep_others_out(
    tmp_path: Path,
) -> None:
    for host in ("localhost", "127.0.0.1"):
        answer = await answered(tmp_path, "/healthz", host)
        assert answer.status_code == 200
        assert answer.headers["x-content-type-options"] == "nosniff"


async def test_another_name_is_refused_unless_it_is_allowed(tmp_path: Path) -> None:
    assert (await answered(tmp_path, "/healthz", "evil.example")).status_code == 400
    allowed = await answered(tmp_path, "/healthz", "a.example", allowed_hosts=("a.example",))
    assert allowed.status_code == 200


async def test_off_loopback_every_name_is_answered_until_names_are_given(tmp_path: Path) -> None:
    answer = await answered(tmp_path, "/healthz", "any.example", host=EVERYWHERE)
    assert answer.status_code == 200
    server = {"host": EVERYWHERE, "allowed_hosts": ("a.example",)}
    assert (await answered(tmp_path, "/healthz", "any.example", **server)).status_code == 400


async def test_errors_are_for_sessions_wherever_the_house_is_served(tmp_path: Path) -> None:
    for server in ({}, {"host": EVERYWHERE}):
        assert (await answered(tmp_path, "/api/v2/errors", **server)).status_code == 401


async def test_requests_are_counted_with_their_status(tmp_path: Path) -> None:
    data = (await answered(tmp_path, "/api/v2/perf")).json()["data"]
    assert data["requests"] == 1
    assert data["status_codes"] == {"200": 1}
    metrics = (await answered(tmp_path, "/metrics")).text
    assert "palabre_http_request_seconds_count 1.0" in metrics


async def test_errors_are_json(tmp_path: Path) -> None:
    answer = await answered(tmp_path, "/nowhere")
    assert answer.json() == {"ok": False, "error": "not_found"}
