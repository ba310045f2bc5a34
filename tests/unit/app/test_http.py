"""The program as one ASGI application: who is answered, and what."""

from pathlib import Path
from typing import Any

import httpx2
import pytest

from palabre.app.bootstrap import running
from palabre.app.http import create_http, create_server
from palabre.app.parts import Parts
from palabre.app.settings import Settings
from palabre.core.auth.logins import neighbourhood
from palabre.core.models.registry import ModelRegistry
from palabre.testing.clock import FrozenClock
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.models import ScriptedProvider
from palabre.testing.personas import StaticPersonaLibrary, a_persona

EVERYWHERE = "0.0.0.0"  # noqa: S104 - an address that others reach


def small_parts() -> Parts:
    return Parts(
        store=MemoryMessageStore(),
        models=ModelRegistry(
            [ScriptedProvider(name="ollama")], default_model="parrot", clock=FrozenClock()
        ),
        library=StaticPersonaLibrary(a_persona("Batty")),
    )


async def answered(folder: Path, path: str, asked: str = "localhost", **server: Any) -> Any:
    settings = Settings.model_validate({"data_dir": folder, "server": server})
    async with running(settings, small_parts()) as app:
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


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("10.0.0.1", ["203.0.113.7"], "203.0.113.7"),
        ("::ffff:10.0.0.1", ["203.0.113.7"], "203.0.113.7"),
        ("10.0.0.1", ["1.1.1.1, 203.0.113.7, 10.9.9.9"], "203.0.113.7"),
        ("10.0.0.1", ["1.1.1.1", "203.0.113.7"], "203.0.113.7"),
        ("10.0.0.1", ["2001:db8::7"], "2001:db8::7"),
        ("10.0.0.1", ["[2001:db8::7]:4711"], "2001:db8::7"),
        ("fd00::1", ["::ffff:203.0.113.7"], "203.0.113.7"),
        ("203.0.113.9", ["127.0.0.1"], "203.0.113.9"),
        ("10.0.0.1", [], "10.0.0.1"),
    ],
)
async def test_of_forwarded_addresses_the_last_that_no_proxy_of_ours_has_counts(
    tmp_path: Path, peer: str, forwarded: list[str], address: str
) -> None:
    server = {"trusted_proxies": ("10.0.0.0/8", "fd00::/8"), "allowed_hosts": ("localhost",)}
    settings = Settings.model_validate({"data_dir": tmp_path, "server": server})
    async with running(settings, small_parts()) as app:
        config = create_server(app).config
        config.load()
        transport = httpx2.ASGITransport(app=config.loaded_app, client=(peer, 1))
        headers = [("x-forwarded-for", each) for each in forwarded]
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            body = {"username": "ana", "token": "wrong"}
            for _ in range(6):
                answer = await client.post("/api/session/login", json=body, headers=headers)
        assert answer.status_code == 429
        assert list(app.auth._windows._tries) == [neighbourhood(address)]
