"""Where programs come in with a key: `/v1` and `/mcp`, made at the first request for each."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING

from starlette.types import ASGIApp, Receive, Scope, Send

from palabre.core.auth.key_limits import KeyTraffic
from palabre.surfaces.http.key_gate import KeyGate

if TYPE_CHECKING:
    from palabre.app.bootstrap import App
    from palabre.core.chat.direct import DirectAnswers


class MadeWhenAsked:
    """An application that is made, in a thread, when somebody asks for it.

    What it needs is slow to import, and most houses have no programs.
    """

    def __init__(self, make: Callable[[], ASGIApp]) -> None:
        self._make = make
        self._making = asyncio.Lock()
        self._made: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._making:
            if self._made is None:
                self._made = await asyncio.to_thread(self._make)
        await self._made(scope, receive, send)


def programs_of(app: "App") -> Mapping[str, ASGIApp]:
    """Return the applications for programs by the first part of their paths; they share keys."""
    gate = KeyGate(app.api_keys, KeyTraffic(app.settings.api.limits, app.ports.clock))
    return {
        "/v1": MadeWhenAsked(partial(_openai, app, gate)),
        "/mcp": MadeWhenAsked(partial(_mcp, app, gate)),
    }


def _openai(app: "App", gate: KeyGate) -> ASGIApp:
    from palabre.adapters.speech.wav import samples_at  # noqa: PLC0415 - see MadeWhenAsked
    from palabre.surfaces.openai.errors import ErrorAnswers  # noqa: PLC0415
    from palabre.surfaces.openai.ports import Ports  # noqa: PLC0415
    from palabre.surfaces.openai.routes import create_application  # noqa: PLC0415

    ports = app.ports
    return create_application(
        Ports(
            gate=gate,
            cast=lambda: app.chat.cast,
            direct=_direct(app),
            models=ports.models,
            embedder=app.settings.knowledge.embedder,
            speaker=ports.speaker,
            samples_at=samples_at,
            analyst=ports.analyst,
            typer=ports.typer,
            clock=ports.clock,
            ids=ports.ids,
            errors=ErrorAnswers(ports.ids, app.settings.language),
            since=ports.clock.now(),
            version=version("palabre"),
        )
    )


def _mcp(app: "App", gate: KeyGate) -> ASGIApp:
    from palabre.surfaces.mcp.desk import Desk  # noqa: PLC0415 - see MadeWhenAsked
    from palabre.surfaces.mcp.http import McpEntrance  # noqa: PLC0415

    settings, ports = app.settings, app.ports
    desk = Desk(
        chat=app.chat,
        direct=_direct(app),
        history=app.history,
        knowledge=ports.knowledge,
        models=ports.models,
        machine=ports.machine,
        language=settings.language,
        default_channel=settings.rooms.default_channel,
        timeout_s=settings.api.chat_timeout_s,
        version=version("palabre"),
    )
    return McpEntrance(desk, gate, ports.ids, settings.rooms.allowed_origins)


def _direct(app: "App") -> "DirectAnswers":
    from palabre.core.chat.direct import DirectAnswers  # noqa: PLC0415 - see MadeWhenAsked

    ports = app.ports
    return DirectAnswers(models=ports.models, knowledge=ports.knowledge, analyst=ports.analyst)
