"""Channels that a client may offer (seed 000 §15; shape in its facts, 3.2)."""

import re
from dataclasses import dataclass
from typing import Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel

from palabre.core.auth.model import Permission
from palabre.core.models.registry import ModelRegistry
from palabre.surfaces.http.envelope import Envelope, told
from palabre.surfaces.http.gate import Gate

_NO_LETTERS = re.compile(r"[^a-z0-9]+")
_ALWAYS: list[dict[str, str]] = [
    {"id": "general", "label": "#general", "kind": "general"},
    {"id": "admin", "label": "#admin", "kind": "admin"},
]


class Channel(BaseModel):
    """A channel.

    Attributes:
        model: For whom a dedicated one is.
    """

    id: str
    label: str
    kind: Literal["general", "admin", "dedicated"]
    model: str | None = None


@dataclass(frozen=True, slots=True)
class ChannelsRoute:
    """Lists the usual channels, and one for each model."""

    models: ModelRegistry
    gate: Gate

    def router(self) -> APIRouter:
        """Return the route."""
        router = APIRouter(tags=["rooms"])
        router.add_api_route(
            "/api/chat/channels",
            self._channels,
            methods=["GET"],
            summary="List channels to offer",
            response_model=Envelope[list[Channel]],
            response_model_exclude_none=True,
            dependencies=[self.gate.needs(Permission.CHAT_READ)],
        )
        return router

    async def _channels(self) -> Any:
        dedicated = {_id(each.id): each.id for each in await self.models.models()}
        usual = {each["id"] for each in _ALWAYS}
        return told(
            [
                *_ALWAYS,
                *(
                    {"id": key, "label": f"#{key}", "kind": "dedicated", "model": model}
                    for key, model in dedicated.items()
                    if key and key not in usual
                ),
            ]
        )


def _id(model: str) -> str:
    return _NO_LETTERS.sub("-", model.lower()).strip("-")
