"""`GET /v1/models`: each persona is a model."""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse

from palabre.core.auth.api_keys import ApiKey
from palabre.core.personas.model import Persona
from palabre.surfaces.openai.ports import Ports


class ModelRoutes:
    """Lists the personas who answer now."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports

    async def name(self, request: Request) -> str:
        """Return the name of the model that is asked for; empty for all."""
        return str(request.path_params.get("model", ""))

    async def all(self, _name: str, _key: ApiKey) -> JSONResponse:
        """List all of them."""
        personas = self._ports.cast().personas
        return JSONResponse({"object": "list", "data": [self._told(each) for each in personas]})

    async def one(self, name: str, _key: ApiKey) -> JSONResponse:
        """Tell of one."""
        return JSONResponse(self._told(self._ports.persona(name)))

    def _told(self, persona: Persona) -> dict[str, Any]:
        return {
            "id": persona.id,
            "object": "model",
            "created": int(self._ports.since.timestamp()),
            "owned_by": "palabre",
            "name": persona.nick,
            "description": persona.summary,
        }
