"""The description of routes, completed by what they ask for."""

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from palabre.core.auth.model import Permission
from palabre.core.auth.service import AuthRules, AuthService
from palabre.surfaces.http.envelope import Envelope, refusals, told
from palabre.surfaces.http.gate import OPEN, Gate
from palabre.surfaces.http.openapi import DescribedApi
from palabre.testing.auth import (
    CountingSecrets,
    MemoryAccountStore,
    MemorySessionStore,
    PlainHasher,
)
from palabre.testing.clock import FrozenClock


class Thing(BaseModel):
    name: str


async def change(thing_id: int, body: Thing) -> Any:
    return told(body)


async def read() -> Any:
    return told(Thing(name="x"))


def described() -> dict[str, Any]:
    auth = AuthService(
        accounts=MemoryAccountStore(),
        sessions=MemorySessionStore(),
        hasher=PlainHasher(),
        secrets=CountingSecrets(),
        clock=FrozenClock(),
        rules=AuthRules(),
    )
    gate, router = Gate(auth), APIRouter()
    router.add_api_route(
        "/api/admin/things/{thing_id}",
        change,
        methods=["PUT"],
        response_model=Envelope[Thing],
        responses=refusals(404),
        dependencies=[gate.admin_needs(Permission.PERSONA_WRITE)],
    )
    router.add_api_route("/api/thing", read, methods=["GET"], dependencies=[gate.needs()])
    router.add_api_route("/api/open", read, methods=["GET"], dependencies=[OPEN])
    router.add_api_route("/elsewhere", read, methods=["GET"])
    http = DescribedApi("1.2.3")
    http.include_router(router)
    assert http.openapi() is http.openapi()
    return http.openapi()


def test_a_route_that_changes_something_tells_all_its_refusals() -> None:
    operation = described()["paths"]["/api/admin/things/{thing_id}"]["put"]
    expected = {"200", "400", "401", "403", "404", "413", "415", "default"}
    assert operation["responses"].keys() == expected
    assert operation["x-permission"] == "persona:write"
    assert operation["x-admin-network"] is True
    assert operation["operationId"] == "put_api_admin_things_thing_id"
    for status in expected - {"200"}:
        [content] = operation["responses"][status]["content"].values()
        assert content["schema"]["$ref"].endswith("/Refusal")


def test_a_route_for_any_session_names_no_permission() -> None:
    operation = described()["paths"]["/api/thing"]["get"]
    assert operation["responses"].keys() == {"200", "401", "default"}
    assert operation["security"] == [{"sessionCookie": []}, {"sessionHeader": []}]
    assert "x-permission" not in operation
    assert "x-admin-network" not in operation


def test_an_open_route_needs_nothing() -> None:
    operation = described()["paths"]["/api/open"]["get"]
    assert operation["security"] == []
    assert operation["responses"].keys() == {"200", "default"}


def test_what_is_no_api_is_left_as_it_is() -> None:
    operation = described()["paths"]["/elsewhere"]["get"]
    assert operation["responses"].keys() == {"200"}
    assert described()["info"]["version"] == "1.2.3"
