"""Character cards and recordings of personas over HTTP."""

from collections.abc import Iterator

from fastapi import APIRouter

from palabre.adapters.speech.samples import FOLDER, VoiceSamples
from palabre.app.bootstrap import App
from palabre.app.personas import card_shelf_for
from palabre.surfaces.admin.cards import CardRoutes
from palabre.surfaces.admin.voice_samples import VoiceSampleRoutes
from palabre.surfaces.http.gate import Gate


def card_routers(app: App, gate: Gate) -> Iterator[APIRouter]:
    """Yield the routes of *app* for cards and recordings, behind *gate*."""
    desk = app.editorial.desk
    samples = VoiceSamples(app.settings.data_dir / FOLDER)
    yield VoiceSampleRoutes(desk, app.editorial.recordings, samples.find, gate).router()
    yield CardRoutes(
        shelf=card_shelf_for(app.settings),
        desk=desk,
        ledger=app.ledger,
        gate=gate,
        clock=app.ports.clock,
        reload=app.chat.reload_cast,
        language=app.settings.language,
    ).router()
