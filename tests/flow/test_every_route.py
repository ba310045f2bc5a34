"""What holds for every route: it says whom it is for, keeps to that, and is described."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import jsonschema
import pytest
import schemathesis
from fastapi.routing import RouteContext, iter_route_contexts
from starlette.routing import Mount
from tests.support.databases import with_database

from palabre.adapters.storage.sql.sessions import SqlSessionStore
from palabre.app.bootstrap import App, running
from palabre.app.http import create_http
from palabre.app.parts import Parts
from palabre.app.settings import Settings
from palabre.core.auth.model import PERMISSIONS, Permission, Role, Session
from palabre.core.auth.service import fingerprint
from palabre.core.knowledge.ports import NoDocuments
from palabre.core.models.registry import ModelRegistry
from palabre.surfaces.http.gate import HEADER, Demand, Everybody, demand_of
from palabre.surfaces.http.openapi import DescribedApi
from palabre.testing.clock import FrozenClock
from palabre.testing.messages import MemoryMessageStore
from palabre.testing.models import ScriptedProvider
from palabre.testing.personas import StaticPersonaLibrary, a_persona

ADMIN = ("/api/admin/", "/api/v2/admin/")
FAR = timedelta(days=1)

ROUTES = {
    "open": """
        POST/api/session/login
        GET/api/session/rules
        GET/api/v2/commands
        POST/api/v2/feedback
        DELETE/api/v2/feedback/{message_id}
        GET/api/v2/health
        GET/api/v2/perf
        GET/api/v2/status
    """,
    "any": """
        GET/api/personas
        GET/api/personas/{persona_id}
        GET/api/session
        POST/api/session/logout
    """,
    "chat:read": """
        GET/api/chat/channels
        GET/api/v2/chat/history
        GET/api/v2/chat/history/{date}
        GET/api/v2/chat/search
        GET/api/v2/export/html
    """,
    "ops:read": """
        GET/api/v2/analytics
        GET/api/v2/errors
    """,
    "persona:read": """
        GET/api/v2/export/dpo
    """,
    "node_engine:operate of administrators": """
        POST/api/v2/admin/retention-sweep
    """,
    "persona:read of administrators": """
        GET/api/admin/personas/{persona_id}/card
        GET/api/admin/personas/{persona_id}/feedback
        GET/api/admin/personas/{persona_id}/proposals
        GET/api/admin/personas/{persona_id}/source
        GET/api/admin/personas/{persona_id}/voice-sample
        GET/api/admin/personas/{persona_id}/voice-sample.wav
    """,
    "persona:write of administrators": """
        POST/api/admin/personas
        POST/api/admin/personas/import
        POST/api/admin/personas/suggest
        PUT/api/admin/personas/{persona_id}
        DELETE/api/admin/personas/{persona_id}
        DELETE/api/admin/personas/{persona_id}/proposals/{proposal_id}
        POST/api/admin/personas/{persona_id}/proposals/{proposal_id}/apply
        POST/api/admin/personas/{persona_id}/reinforce
        POST/api/admin/personas/{persona_id}/revert
        PUT/api/admin/personas/{persona_id}/source
        POST/api/admin/personas/{persona_id}/toggle
        POST/api/admin/personas/{persona_id}/voice-sample
        DELETE/api/admin/personas/{persona_id}/voice-sample
    """,
    "session:manage of administrators": """
        GET/api/admin/sessions
        DELETE/api/admin/sessions/{fingerprint}
        GET/api/admin/users
        POST/api/admin/users
        PUT/api/admin/users/{username}
        DELETE/api/admin/users/{username}
        GET/api/v2/admin/audit
        GET/api/v2/admin/audit/verify
    """,
}
"""What each route demands, whatever the rooms do."""

OF_ROOMS = """
    GET/api/v2/media/images
    HEAD/api/v2/media/images
    GET/api/v2/media/images/{filename}
    HEAD/api/v2/media/images/{filename}
    GET/api/v2/media/audio
    HEAD/api/v2/media/audio
    GET/api/v2/media/audio/{filename}
    HEAD/api/v2/media/audio/{filename}
"""
"""For all where rooms are open, else for those who may read."""


@dataclass(frozen=True)
class House:
    app: App
    http: DescribedApi

    async def let_in(self, role: Role) -> str:
        """Begin a session of *role*, which may be the last thing that a route ends."""
        now, session_id = self.app.ports.clock.now(), f"{role.value} {id(object())}"
        session = Session(fingerprint(session_id), "ana", role, now, now + FAR)
        store = SqlSessionStore(self.app.database)
        await store.remove(session.fingerprint)
        await store.add(session)
        return session_id

    async def ask(
        self, method: str, path: str, session_id: str = "", address: str = "127.0.0.1"
    ) -> httpx2.Response:
        transport = httpx2.ASGITransport(app=self.http, client=(address, 1))
        headers = {HEADER: session_id} if session_id else {}
        async with httpx2.AsyncClient(
            transport=transport, base_url="http://localhost", headers=headers
        ) as client:
            return await client.request(method, path)


@pytest.fixture(params=["open", "session"])
async def place(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[House]:
    provider = ScriptedProvider(name="ollama")
    parts = Parts(
        knowledge=NoDocuments(),
        store=MemoryMessageStore(),
        models=ModelRegistry([provider], default_model="parrot", clock=FrozenClock()),
        library=StaticPersonaLibrary(a_persona("Batty")),
    )
    auth = {"rooms": request.param, "admin_subnet": ["127.0.0.0/8"]}
    settings = Settings.model_validate({"data_dir": with_database(tmp_path / "data"), "auth": auth})
    async with running(settings, parts) as app:
        http = create_http(app)
        assert isinstance(http, DescribedApi)
        yield House(app, http)


def api_routes(place: House) -> Iterator[tuple[str, str, RouteContext]]:
    """Yield method, path and route of all below `/api`."""
    for route in iter_route_contexts(place.http.routes):
        if isinstance(route.original_route, Mount) or not (route.path or "").startswith("/api"):
            continue
        for method in sorted(route.methods or ()):
            yield method, str(route.path), route


def filled(path: str) -> str:
    """Return *path* with something in the place of its parameters."""
    return re.sub(r"\{[^}]*\}", "0", path)


def demanded(route: RouteContext) -> Demand | Everybody | None:
    return demand_of(getattr(route, "dependencies", ()))


async def test_every_route_says_whom_it_is_for(place: House) -> None:
    silent = [f"{method} {path}" for method, path, each in api_routes(place) if not demanded(each)]
    assert silent == []


async def test_every_route_of_administrators_asks_for_their_network(place: House) -> None:
    paths = [each for each in api_routes(place) if each[1].startswith(ADMIN)]
    assert len(paths) > 20
    for method, path, route in paths:
        demand = demanded(route)
        assert isinstance(demand, Demand), f"{method} {path}"
        assert demand.is_admin, f"{method} {path}"
        assert demand.permission is not None, f"{method} {path}"


async def test_who_comes_from_elsewhere_administers_nothing(place: House) -> None:
    for method, path, _ in api_routes(place):
        if path.startswith(ADMIN):
            admin = await place.let_in(Role.ADMIN)
            answer = await place.ask(method, filled(path), admin, address="203.0.113.7")
            assert answer.status_code == 403, f"{method} {path}"
            if method != "HEAD":
                assert answer.json()["error"] == "subnet_denied"


@pytest.mark.parametrize("role", [None, *Role])
async def test_each_role_may_do_what_the_matrix_says_and_nothing_else(
    place: House, role: Role | None
) -> None:
    for method, path, route in api_routes(place):
        demand = demanded(route)
        session_id = await place.let_in(role) if role else ""
        answer = await place.ask(method, filled(path), session_id)
        is_json = answer.content and "json" in answer.headers["content-type"]
        error = answer.json().get("error") if is_json else None
        told = (f"{method} {path}", answer.status_code, error)
        if not isinstance(demand, Demand):
            assert error not in {"session_required", "permission_denied"}, told
        elif role is None:
            assert told[1:] in {(401, "session_required"), (401, None)}, told
        elif demand.permission is not None and demand.permission not in PERMISSIONS[role]:
            assert told[1:] in {(403, "permission_denied"), (403, None)}, told
        else:
            assert answer.status_code not in {401, 403} or error == "ticket_unknown", told
        assert answer.status_code < 500, told


async def test_what_each_route_demands_is_written_down_here_too(place: House) -> None:
    """A route that is opened, or asks for less, is noticed, and a new one is added below."""
    rooms = place.app.settings.auth.rooms
    wanted = {key: demand for demand, keys in ROUTES.items() for key in keys.split()}
    wanted |= dict.fromkeys(OF_ROOMS.split(), "open" if rooms == "open" else "chat:read")
    wanted |= {"POST/api/v2/uploads": "open" if rooms == "open" else "chat:write"}
    assert {
        f"{method}{path}": _named(demanded(each)) for method, path, each in api_routes(place)
    } == wanted


def test_the_roles_may_do_what_the_seed_says() -> None:
    """Seed 000 §2, its facts 3.1."""
    everybody = {"chat:read", "persona:read", "node_engine:read", "ops:read"}
    assert {role.value: {str(each.value) for each in PERMISSIONS[role]} for role in Role} == {
        "viewer": everybody,
        "operator": everybody | {"chat:write", "node_engine:operate"},
        "editor": everybody | {"chat:write", "persona:write"},
        "admin": {each.value for each in Permission},
    }


def _named(demand: Demand | Everybody | None) -> str:
    if not isinstance(demand, Demand):
        return "open" if demand else "unsaid"
    permission = demand.permission.value if demand.permission else "any"
    return f"{permission} of administrators" if demand.is_admin else permission


async def test_everything_is_described(place: House) -> None:
    described = (await place.ask("GET", "/openapi.json")).json()
    assert described["openapi"].startswith("3.1")
    schemes = described["components"]["securitySchemes"]
    assert {each["name"] for each in schemes.values()} == {"kxkm_v2_session", "x-session-id"}
    ids = []
    for method, path, route in api_routes(place):
        if method == "HEAD":
            continue
        operation = described["paths"][path][method.lower()]
        ids.append(operation["operationId"])
        _check_operation(f"{method} {path}", operation, demanded(route))
    assert len(set(ids)) == len(ids)


async def test_the_description_is_whole_and_its_schemas_are_some(place: House) -> None:
    described = place.http.openapi()
    schemas = described["components"]["schemas"]
    named = set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(described)))
    assert named <= schemas.keys()
    assert "HTTPValidationError" not in schemas
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    refusal = {"$ref": "#/components/schemas/Refusal", "components": described["components"]}
    answer = (await place.ask("GET", "/api/session")).json()
    jsonschema.Draft202012Validator(refusal).validate(answer)


async def test_the_description_is_openapi_and_names_each_body(place: House) -> None:
    described = place.http.openapi()
    schemathesis.openapi.from_dict(described).validate()
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            name = f"{method} {path}"
            wanted = set(re.findall(r"\{(\w+)\}", path))
            parameters = operation.get("parameters", ())
            assert wanted == {each["name"] for each in parameters if each["in"] == "path"}, name
            if method == "put":
                assert operation["requestBody"]["content"], name
            for status, answer in operation["responses"].items():
                has_none = status in {"304", "416"}
                assert has_none or answer.get("content"), f"{name} {status}"


async def test_the_page_of_the_routes_takes_nothing_from_elsewhere(place: House) -> None:
    page = await place.ask("GET", "/docs")
    assert page.status_code == 200
    assert "default-src 'self'" in page.headers["content-security-policy"]
    parts = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert parts
    for part in parts:
        answer = await place.ask("GET", f"/{part}")
        assert answer.status_code == 200, part
        assert "://" not in answer.text.replace("http://www.w3.org", ""), part
    assert "style=" not in page.text
    assert "onclick" not in page.text


def _check_operation(name: str, operation: dict[str, Any], demand: object) -> None:
    assert operation["summary"], name
    answers = operation["responses"]
    assert any(status.startswith(("2", "3")) for status in answers), name
    assert "422" not in answers, name
    assert "default" in answers, name
    if isinstance(demand, Demand):
        assert operation["security"] == [{"sessionCookie": []}, {"sessionHeader": []}], name
        assert "401" in answers, name
    else:
        assert operation["security"] == [], name
