"""The program as one ASGI application, and the server that runs it."""

import asyncio
import logging
import signal
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from ipaddress import IPv4Network

import uvicorn
from fastapi import APIRouter, FastAPI

from palabre.adapters.telemetry.resources import allow_open_files
from palabre.app.bootstrap import App
from palabre.app.card_routes import card_routers
from palabre.app.history_routes import history_routers
from palabre.app.programs import programs_of
from palabre.app.storage import storage_state
from palabre.core.auth.model import Permission
from palabre.kernel.hosts import is_loopback
from palabre.surfaces.admin.audit import AuditRoutes
from palabre.surfaces.admin.dpo import DpoRoute
from palabre.surfaces.admin.editorial import EditorialRoutes
from palabre.surfaces.admin.persona_sources import PersonaSourceRoutes
from palabre.surfaces.admin.personas import PersonaRoutes
from palabre.surfaces.admin.session import SessionRoutes
from palabre.surfaces.admin.users import UserRoutes
from palabre.surfaces.http.answers import SecuredAnswers, TimedAnswers
from palabre.surfaces.http.checked_requests import CheckedRequests
from palabre.surfaces.http.docs_page import docs_router
from palabre.surfaces.http.errors import answer_errors_in_json
from palabre.surfaces.http.gate import OPEN, Gate, networks_of
from palabre.surfaces.http.http_protocol import BoundedHttpProtocol
from palabre.surfaces.http.known_hosts import KnownHosts
from palabre.surfaces.http.openapi import DescribedApi
from palabre.surfaces.http.served_apart import ServedApart
from palabre.surfaces.operations.http import Operations
from palabre.surfaces.rooms.door import Door
from palabre.surfaces.rooms.feedback import FeedbackRoute
from palabre.surfaces.rooms.http import RoomsEntrance
from palabre.surfaces.rooms.media import MediaRoutes
from palabre.surfaces.rooms.sinks import UnreadLimits
from palabre.surfaces.rooms.socket import SocketRules
from palabre.surfaces.rooms.websocket_protocol import RoomsWebSocketProtocol

MAX_READ_FRAME_BYTES = 32 * 1024 * 1024
"""Frames up to this are read, if only to be dropped; larger ones close the line unread (1009)."""

STOP_WITHIN_S = 10

SPARE_FILES = 512
"""Files and connections besides the rooms' clients: what is kept, models, other requests."""

_log = logging.getLogger(__name__)


def create_http(app: App) -> FastAPI:
    """Return the ASGI application that serves *app*."""
    http = DescribedApi(version("palabre"))
    gate = Gate(app.auth, networks_of(app.settings.auth.admin_subnet))
    for router in _routers(app, gate):
        http.include_router(router)
    answer_errors_in_json(http, app.ports.ids)
    _add_middleware(http, app)
    return http


def _routers(app: App, gate: Gate) -> Iterator[APIRouter]:
    """Yield everything that is asked for; the first route that matches counts."""
    auth = app.settings.auth
    entrance = _entrance(app, gate)
    yield docs_router()
    yield SessionRoutes(
        app.auth,
        gate,
        app.telemetry,
        rooms=auth.rooms,
        always_secure=app.settings.environment == "production",
    ).router()
    yield UserRoutes(app.accounts, gate).router()
    yield AuditRoutes(app.ledger, gate).router()
    yield from _editorial_routers(app, gate, entrance)
    yield from history_routers(app, gate)
    yield _operations(app).router()
    yield entrance.router()
    readers = gate.needs(Permission.CHAT_READ) if auth.rooms == "session" else OPEN
    yield MediaRoutes(app.ports.media.store, readers).router()


def _entrance(app: App, gate: Gate) -> RoomsEntrance:
    settings, rooms = app.settings, app.settings.rooms
    demands_session = settings.auth.rooms == "session"
    return RoomsEntrance(
        chat=app.chat,
        door=Door(app.auth, app.session_watch, demands_session),
        uploaders=gate.needs(Permission.CHAT_WRITE) if demands_session else OPEN,
        telemetry=app.telemetry,
        clock=app.ports.clock,
        ids=app.ports.ids,
        language=settings.language,
        allowed_origins=rooms.allowed_origins,
        max_connections=rooms.max_connections,
        rules=SocketRules(rooms.rate_limit_messages, rooms.rate_limit_window_s),
        unread=UnreadLimits(
            rooms.max_buffered_bytes, rooms.max_buffered_events, rooms.slow_client_grace_s
        ),
    )


def _add_middleware(http: FastAPI, app: App) -> None:
    """Add what every request passes, the last one first."""
    settings = app.settings

    def note(status: int, duration_s: float) -> None:
        app.ports.machine.note_request(status, duration_s)
        app.telemetry.observe("http_request_seconds", duration_s)

    origins = settings.rooms.allowed_origins
    http.add_middleware(CheckedRequests, routes=lambda: http.routes, allowed_origins=origins)
    http.add_middleware(ServedApart, apart=programs_of(app))
    hosts = _allowed_hosts(settings.server.host, settings.server.allowed_hosts)
    http.add_middleware(KnownHosts, names=hosts)
    http.add_middleware(SecuredAnswers)
    http.add_middleware(TimedAnswers, note=note)


class Server(uvicorn.Server):
    """uvicorn that leaves the end of the process to us: what was said is written first."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and let others know."""
        await super().startup(sockets)
        self.listening.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop politely on SIGINT and SIGTERM, at once on the second SIGINT."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)


def create_server(app: App) -> Server:
    """Return the server of *app*, not yet started."""
    settings = app.settings
    wanted = settings.rooms.max_connections + SPARE_FILES
    if (allowed := allow_open_files(wanted)) < wanted:
        _log.warning("only %d files and connections can be open at once", allowed)
    proxies = _with_mapped(settings.server.trusted_proxies)
    return Server(
        uvicorn.Config(
            create_http(app),
            http=BoundedHttpProtocol,
            ws=RoomsWebSocketProtocol,
            ws_max_size=MAX_READ_FRAME_BYTES,
            ws_per_message_deflate=False,
            ws_ping_interval=settings.rooms.ping_interval_s,
            ws_ping_timeout=settings.rooms.ping_timeout_s,
            timeout_graceful_shutdown=STOP_WITHIN_S,
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=bool(proxies),
            forwarded_allow_ips=proxies,
            server_header=False,
        )
    )


def _editorial_routers(app: App, gate: Gate, entrance: RoomsEntrance) -> Iterator[APIRouter]:
    editorial, clock = app.editorial, app.ports.clock
    yield DpoRoute(editorial.desk, editorial.opinions, clock, gate).router()
    yield FeedbackRoute(
        app.auth, entrance.tickets, app.chat.recent_replies, editorial.opinions, clock
    ).router()
    yield PersonaRoutes(editorial.desk, gate, app.settings.models.default_model).router()
    yield PersonaSourceRoutes(editorial.sources, gate).router()
    yield EditorialRoutes(
        editorial.desk,
        editorial.proposals,
        editorial.opinions,
        editorial.suggester,
        gate,
    ).router()
    yield from card_routers(app, gate)


def _with_mapped(proxies: Sequence[str]) -> list[str]:
    """Return *proxies* and, where IPv4 comes in through IPv6, how they are seen there."""
    networks = networks_of(proxies)
    mapped = (
        f"::ffff:{each.network_address}/{96 + each.prefixlen}"
        for each in networks
        if isinstance(each, IPv4Network)
    )
    return [*map(str, networks), *mapped]


def _operations(app: App) -> Operations:
    return Operations(
        cast=lambda: app.chat.cast,
        models=app.ports.models,
        machine=app.ports.machine,
        storage=lambda: storage_state(app.settings, app.database),
        storage_kind=app.settings.storage.label,
        exposition=app.telemetry.exposition,
        version=version("palabre"),
        knowledge=app.knowledge.state if app.knowledge else None,
        personas=lambda: app.editorial.library.total,
        timings=app.telemetry.timings,
    )


def _allowed_hosts(host: str, named: tuple[str, ...]) -> list[str]:
    """Return the Host headers to believe: pages elsewhere must not reach us by their names."""
    if not is_loopback(host) and not named:
        return ["*"]
    return ["127.0.0.1", "localhost", "::1", "[::1]", host, *named]
