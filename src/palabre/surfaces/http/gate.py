"""Who may use a route: sessions, permissions, and the network of the administrators.

Each route below `/api` says whom it is for, as one of its dependencies: `OPEN`, `Gate.needs()`,
`Gate.needs(permission)` or `Gate.admin_needs(permission)`; `demand_of` reads it back. The program
does not start with a route that says nothing (`app.http`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Any

from fastapi.params import Depends
from starlette.requests import HTTPConnection, Request

from palabre.core.audit.model import Actor
from palabre.core.auth.errors import SubnetDeniedError
from palabre.core.auth.model import Permission, Session
from palabre.core.auth.service import AuthService

COOKIE = "kxkm_v2_session"
HEADER = "x-session-id"

MAX_SESSION_ID_CHARS = 128
"""Twice what our ids have: what is longer is none."""

Network = IPv4Network | IPv6Network

_MAPPED_BITS = 96
"""How many bits come before an IPv4 address that is written as one of IPv6."""


@dataclass(frozen=True, slots=True)
class Everybody:
    """What an open route asks of who uses it: nothing."""

    async def __call__(self) -> None:
        """Let all through."""


OPEN = Depends(Everybody())
"""The dependency of a route that is for all."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What a route asks of who uses it.

    Attributes:
        permission: What the session's role must be allowed; None: any session will do.
        is_admin: Whether the request must come from the administrators' network.
    """

    gate: "Gate"
    permission: Permission | None
    is_admin: bool

    async def __call__(self, request: Request) -> None:
        """Keep the session for the route, if it is let through."""
        gate, wanted = self.gate, self.permission
        if self.is_admin and not gate.admits(address_of(request)):
            raise SubnetDeniedError
        session_id = session_id_of(request)
        request.state.session = await (
            gate.auth.permit(session_id, wanted) if wanted else gate.auth.session(session_id)
        )


@dataclass(frozen=True, slots=True)
class Gate:
    """Lets requests through whose session may do what they ask.

    Attributes:
        admin_subnets: Where requests of administrators come from; empty: anywhere.
    """

    auth: AuthService
    admin_subnets: tuple[Network, ...] = ()

    def needs(self, permission: Permission | None = None) -> Depends:
        """Return the dependency of a route for sessions that have *permission*; None: for all.

        `session_of` gives the session to the route itself.
        """
        return Depends(Demand(self, permission, is_admin=False))

    def admin_needs(self, permission: Permission) -> Depends:
        """As `needs`, for a route of administrators: their network is demanded too."""
        return Depends(Demand(self, permission, is_admin=True))

    def admits(self, address: str) -> bool:
        """Say whether administrators may come from *address*."""
        if not self.admin_subnets:
            return True
        found = _address(address)
        return found is not None and any(found in network for network in self.admin_subnets)


def networks_of(names: Iterable[str]) -> tuple[Network, ...]:
    """Return the networks of *names*; IPv4 that is written as IPv6 becomes IPv4.

    Raises:
        ValueError: One of them is no network.
    """
    return tuple(_plain(ip_network(each, strict=False)) for each in names)


def demand_of(dependencies: Sequence[Any]) -> Demand | Everybody | None:
    """Return what a route with *dependencies* asks; None if it does not say."""
    for each in dependencies:
        if isinstance(found := getattr(each, "dependency", None), Demand | Everybody):
            return found
    return None


def session_of(request: Request) -> Session:
    """Return the session that the gate let through."""
    session: Session = request.state.session
    return session


def actor_of(request: Request) -> Actor:
    """Return who changes something, for the book."""
    session = session_of(request)
    return Actor(session.username, session.role.value, address_of(request))


def session_id_of(request: HTTPConnection) -> str:
    """Return the session's id that a request shows, by its cookie or its header; else empty.

    Of several cookies of that name the first counts: browsers send the one of the nearest path
    first (RFC 6265 §5.4).
    """
    cookies = (each for line in request.headers.getlist("cookie") for each in line.split(";"))
    pairs = (each.strip().partition("=") for each in cookies)
    shown = next((value for name, _, value in pairs if name == COOKIE and value), "")
    found = shown.strip('"') or request.headers.get(HEADER, "")
    return found if len(found) <= MAX_SESSION_ID_CHARS else ""


def address_of(request: HTTPConnection) -> str:
    """Return where a request comes from, as far as trusted proxies say; else empty."""
    host = request.client.host if request.client else ""
    return str(_address(host) or "")


def _address(name: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(name)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def _plain(network: Network) -> Network:
    mapped = getattr(network.network_address, "ipv4_mapped", None)
    if mapped is None or network.prefixlen < _MAPPED_BITS:
        return network
    return IPv4Network((int(mapped), network.prefixlen - _MAPPED_BITS))
