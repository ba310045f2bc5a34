"""Settings that are valid, but with which nobody should be served."""

from collections.abc import Mapping

from palabre.app.settings.errors import Problem
from palabre.app.settings.layers import KeyPath, Origin
from palabre.app.settings.settings import Settings
from palabre.kernel.hosts import is_loopback
from palabre.kernel.text import text


def start_problems(settings: Settings, origins: Mapping[KeyPath, Origin]) -> tuple[Problem, ...]:
    """Return why *settings* must not serve; empty if they may."""
    found: list[tuple[KeyPath, str]] = []
    is_open = settings.auth.rooms == "open"
    is_reached = not is_loopback(settings.server.host)
    if is_open and is_reached and not settings.server.insecure:
        found.append((("server", "host"), "exposed"))
    if settings.environment == "production" and not settings.storage.in_database:
        found.append((("environment",), "production"))
    return tuple(_problem(path, name, origins) for path, name in found)


def _problem(path: KeyPath, name: str, origins: Mapping[KeyPath, Origin]) -> Problem:
    place = origins.get(path, Origin("default", ".".join(path))).place
    return Problem(place, text(f"settings.reason.{name}"), text(f"settings.fix.{name}"))
