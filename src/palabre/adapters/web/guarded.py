"""Connections to machines that may be called, and to no others."""

import ssl
from collections.abc import AsyncIterator, Collection, Iterable, Sequence

import httpcore2
import httpx2

from palabre.adapters.web.resolver import Resolver
from palabre.core.web.addresses import Address, is_public, literal
from palabre.core.web.errors import FetchError

MAX_TRIES = 3
"""Addresses of one name that are tried."""

TRY_TIMEOUT_S = 3.0
"""Longest try at an address while there are others."""

SocketOptions = Iterable[httpcore2.SOCKET_OPTION]
Place = tuple[str, int]
"""Host and port."""


class GuardedBackend(httpcore2.AsyncNetworkBackend):
    """Looks a name up once, judges what it finds, and connects to exactly that.

    Whoever answers for the name cannot give another address to the connection than to the
    judge. Name and certificate of TLS stay those of the URL.

    Args:
        trusted: Places that may be anywhere: the owner configured them.
        inner: What connects.
    """

    def __init__(
        self,
        resolver: Resolver,
        *,
        trusted: Collection[Place] = (),
        inner: httpcore2.AsyncNetworkBackend | None = None,
    ) -> None:
        self._resolver = resolver
        self._trusted = frozenset(trusted)
        self._inner = inner or httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  (the port of httpcore2)
        local_address: str | None = None,
        socket_options: SocketOptions | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Connect to *host*.

        Raises:
            FetchError: It has no address, or one that is not public.
            httpcore2.ConnectError: Nothing answers there.
        """
        *others, last = await self._addresses(host, port)
        for address in others:
            limit_s = min(timeout or TRY_TIMEOUT_S, TRY_TIMEOUT_S)
            try:
                return await self._inner.connect_tcp(
                    str(address), port, limit_s, local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return await self._inner.connect_tcp(
            str(last), port, timeout, local_address, socket_options
        )

    async def _addresses(self, host: str, port: int) -> Sequence[Address]:
        found = await self._found(host, port)
        if (host, port) not in self._trusted:
            for address in found:
                if not is_public(address):
                    raise FetchError("address", host=host, address=str(address))
        return found[:MAX_TRIES]

    async def _found(self, host: str, port: int) -> Sequence[Address]:
        try:
            known = literal(host)
        except ValueError:
            raise FetchError("host", host=host) from None
        return [known] if known else await self._resolver.resolve(host, port)


class GuardedTransport(httpx2.AsyncHTTPTransport):
    """Sends requests over connections of *backend* alone; proxies of the environment are ignored.

    Args:
        tls: Whom to believe.
    """

    def __init__(self, backend: GuardedBackend, tls: ssl.SSLContext) -> None:
        super().__init__(verify=tls, trust_env=False)
        # There is no argument for the backend. Without the attribute nothing would be guarded.
        assert isinstance(self._pool, httpcore2.AsyncConnectionPool)
        self._pool = httpcore2.AsyncConnectionPool(ssl_context=tls, network_backend=backend)


class CappedTransport(httpx2.AsyncBaseTransport):
    """Lets no answer be longer than *most* bytes, for those who read whatever comes.

    Answers that are packed are refused: only their reader would know how long they are.
    """

    def __init__(self, inner: httpx2.AsyncBaseTransport, most: int) -> None:
        self._inner = inner
        self._most = most

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send *request*."""
        response = await self._inner.handle_async_request(request)
        if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
            await response.aclose()
            raise httpx2.DecodingError("the answer is packed", request=request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _CappedStream(response.stream, self._most)
        return response

    async def aclose(self) -> None:
        """Close all connections."""
        await self._inner.aclose()


class _CappedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, most: int) -> None:
        self._inner = inner
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._most
        async for piece in self._inner:
            left -= len(piece)
            if left < 0:
                msg = f"the answer is longer than {self._most} bytes"
                raise httpx2.ReadError(msg)
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()
