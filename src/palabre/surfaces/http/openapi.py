"""`/openapi.json`: what the routes say of themselves, and what is the same for all of them."""

import asyncio
import re
from collections.abc import Iterator
from threading import Lock
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute, RouteContext, iter_route_contexts
from pydantic.json_schema import models_json_schema
from starlette.requests import Request
from starlette.responses import JSONResponse

from palabre.surfaces.http.envelope import Refusal
from palabre.surfaces.http.gate import COOKIE, HEADER, Demand, demand_of

DESCRIPTION = (
    "Answers are `{ok: true, data}`, errors `{ok: false, error, details?}`. What an operation "
    "needs is in its `security` and `x-permission`; `x-admin-network` marks those that are only "
    "answered to the network of `auth.admin_subnet`."
)

_SCHEMES = {
    "sessionCookie": {"type": "apiKey", "in": "cookie", "name": COOKIE},
    "sessionHeader": {"type": "apiKey", "in": "header", "name": HEADER},
}
_REFS = "#/components/schemas/{model}"
_OLD_SCHEMAS = ("HTTPValidationError", "ValidationError")

_Json = dict[str, Any]


class DescribedApi(FastAPI):
    """An application whose description is complete."""

    def __init__(self, version: str) -> None:
        super().__init__(
            title="Palabre",
            version=version,
            description=DESCRIPTION,
            license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
            docs_url=None,
            redoc_url=None,
            generate_unique_id_function=operation_id,
        )
        self._described: _Json | None = None
        self._describing = Lock()

    def setup(self) -> None:
        """Serve the description; called by the class above, once."""
        self.add_route("/openapi.json", self._tell, include_in_schema=False)

    def openapi(self) -> _Json:
        """Return the description; it is made once, at the first call, which blocks."""
        with self._describing:
            if self._described is None:
                self._described = super().openapi()
                complete(self._described, list(iter_route_contexts(self.routes)))
            return self._described

    async def _tell(self, _request: Request) -> JSONResponse:
        return JSONResponse(self._described or await asyncio.to_thread(self.openapi))


def operation_id(route: APIRoute) -> str:
    """Return a name such as `put_api_admin_users_username`."""
    words = re.sub(r"\W+", "_", route.path_format).strip("_")
    method = min(route.methods or {"GET"})
    return f"{method.lower()}_{words}"


def complete(description: _Json, routes: list[RouteContext]) -> None:
    """Add to *description* what *routes* ask for, and how they refuse it."""
    components = description.setdefault("components", {})
    components["securitySchemes"] = {**components.get("securitySchemes", {}), **_SCHEMES}
    schemas = components.setdefault("schemas", {})
    for name in _OLD_SCHEMAS:
        schemas.pop(name, None)
    _, made = models_json_schema([(Refusal, "serialization")], ref_template=_REFS)
    schemas.update(made["$defs"])
    for route, operation in _operations(description, routes):
        _complete(route, operation)


def _operations(
    description: _Json, routes: list[RouteContext]
) -> Iterator[tuple[RouteContext, _Json]]:
    for route in routes:
        operations = description["paths"].get(route.path_format or "", {})
        for method in route.methods or ():
            if method.lower() in operations and getattr(route, "include_in_schema", False):
                yield route, operations[method.lower()]


def _complete(route: RouteContext, operation: _Json) -> None:
    responses = operation.setdefault("responses", {})
    had_values = responses.pop("422", None) is not None
    demand = demand_of(getattr(route, "dependencies", ()))
    if isinstance(demand, Demand):
        _secure(operation, demand)
    if not (route.path or "").startswith("/api/"):
        return
    operation.setdefault("security", [])
    for status, meaning in _refusals(operation, demand, had_values=had_values):
        responses.setdefault(status, _refusal(meaning))


def _secure(operation: _Json, demand: Demand) -> None:
    operation["security"] = [{name: []} for name in _SCHEMES]
    if demand.permission is not None:
        operation["x-permission"] = demand.permission.value
    if demand.is_admin:
        operation["x-admin-network"] = True


def _refusals(operation: _Json, demand: object, *, had_values: bool) -> Iterator[tuple[str, str]]:
    if had_values or "requestBody" in operation:
        yield "400", "A value will not do: `validation_error`, with what is wrong in `details`"
    if isinstance(demand, Demand):
        yield "401", "`session_required`: there is no session, or it has ended"
        if demand.permission is not None or demand.is_admin:
            yield "403", "`permission_denied`, `subnet_denied` or `origin_denied`"
    if "requestBody" in operation:
        yield "413", "`content_too_large`"
        yield "415", "`unsupported_media_type`: this is no JSON"
    yield "default", "Any other error"


def _refusal(meaning: str) -> _Json:
    schema = {"$ref": _REFS.format(model=Refusal.__name__)}
    return {"description": meaning, "content": {"application/json": {"schema": schema}}}
