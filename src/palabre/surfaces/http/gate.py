"""Who may use a route: sessions, permissions, and the network of the administrators."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address

from fastapi.params import Depends
from starlette.requests import HTTPConnection, Request

from palabre.core.audit.model import Actor
from palabre.core.auth.errors import SubnetDeniedError
from palabre.core.auth.model import Permission, Session
from palabre.core.auth.service import AuthService

COOKIE = "kxkm_v2_session"
HEADER = "x-session-id"

Network = IPv4Network | IPv6Network


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
        return Depends(self._check(permission, is_admin=False))

    def admin_needs(self, permission: Permission) -> Depends:
        """As `needs`, for a route of administrators: their network is demanded too."""
        return Depends(self._check(permission, is_admin=True))

    def _check(
        self, permission: Permission | None, *, is_admin: bool
    ) -> Callable[[Request], Awaitable[None]]:
        async def check(request: Request) -> None:
            if is_admin and not self._is_inside(address_of(request)):
                raise SubnetDeniedError
            session_id = session_id_of(request)
            auth = self.auth
            request.state.session = await (
                auth.permit(session_id, permission) if permission else auth.session(session_id)
            )

        return check

    def _is_inside(self, address: str) -> bool:
        if not self.admin_subnets:
            return True
        try:
            found = ip_address(address)
        except ValueError:
            return False
        mapped = getattr(found, "ipv4_mapped", None) or found
        return any(mapped in network for network in self.admin_subnets)


def session_of(request: Request) -> Session:
    """Return the session that the gate let through."""
    session: Session = request.state.session
    return session


def actor_of(request: Request) -> Actor:
    """Return who changes something, for the book."""
    session = session_of(request)
    return Actor(session.username, session.role.value, address_of(request))


def session_id_of(request: HTTPConnection) -> str:
    """Return the session's id that a request shows, by its cookie or its header; else empty."""
    return request.cookies.get(COOKIE) or request.headers.get(HEADER, "")


def address_of(request: HTTPConnection) -> str:
    """Return where a request comes from, as far as trusted proxies say; else empty."""
    return request.client.host if request.client else ""
