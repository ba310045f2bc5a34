"""Routes about what was said, and what went wrong."""

from collections.abc import Iterator

from fastapi import APIRouter

from palabre.app.bootstrap import App
from palabre.surfaces.admin.analytics import AnalyticsRoute
from palabre.surfaces.admin.channels import ChannelsRoute
from palabre.surfaces.admin.exports import ExportRoute
from palabre.surfaces.admin.history import HistoryRoutes
from palabre.surfaces.admin.retention import RetentionRoute
from palabre.surfaces.http.gate import Gate
from palabre.surfaces.operations.errors import ErrorsRoute


def history_routers(app: App, gate: Gate) -> Iterator[APIRouter]:
    """Yield the routes of days, search, export, counts, channels, deletion and errors."""
    history, language = app.history, app.settings.language
    yield HistoryRoutes(history, gate).router()
    yield ExportRoute(history, lambda: app.chat.cast, language, gate).router()
    yield AnalyticsRoute(history, lambda: app.chat.cast, gate).router()
    yield ChannelsRoute(app.ports.models, gate).router()
    yield RetentionRoute(history, gate).router()
    yield ErrorsRoute(app.errors, gate).router()
