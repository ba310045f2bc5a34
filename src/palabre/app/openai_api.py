"""The OpenAI-compatible API of a running program."""

from typing import TYPE_CHECKING

from starlette.types import ASGIApp, Receive, Scope, Send

from palabre.core.auth.key_limits import KeyTraffic
from palabre.core.chat.direct import DirectAnswers
from palabre.surfaces.http.key_gate import KeyGate

if TYPE_CHECKING:
    from palabre.app.bootstrap import App


def build_key_gate(app: "App") -> KeyGate:
    """Return who lets programs in; one for all their entrances, so that limits are shared."""
    return KeyGate(app.api_keys, KeyTraffic(app.settings.api.limits, app.ports.clock))


def build_direct(app: "App") -> DirectAnswers:
    """Return the answers of personas outside of the rooms."""
    ports = app.ports
    return DirectAnswers(models=ports.models, knowledge=ports.knowledge, analyst=ports.analyst)


class OpenAIApi:
    """The application that serves `/v1`, made at the first request: most houses never have one."""

    def __init__(self, app: "App", gate: KeyGate) -> None:
        self._app = app
        self._gate = gate
        self._since = app.ports.clock.now()
        self._made: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._made is None:
            self._made = self._make()
        await self._made(scope, receive, send)

    def _make(self) -> ASGIApp:
        from palabre.adapters.speech.wav import samples_at  # noqa: PLC0415 - nobody waits for it
        from palabre.surfaces.openai.errors import ErrorAnswers  # noqa: PLC0415
        from palabre.surfaces.openai.ports import Ports  # noqa: PLC0415
        from palabre.surfaces.openai.routes import create_application  # noqa: PLC0415

        app, ports = self._app, self._app.ports
        return create_application(
            Ports(
                gate=self._gate,
                cast=lambda: app.chat.cast,
                direct=build_direct(app),
                models=ports.models,
                embedder=app.settings.knowledge.embedder,
                speaker=ports.speaker,
                samples_at=samples_at,
                analyst=ports.analyst,
                typer=ports.typer,
                clock=ports.clock,
                ids=ports.ids,
                errors=ErrorAnswers(ports.ids, app.settings.language),
                since=self._since,
            )
        )
