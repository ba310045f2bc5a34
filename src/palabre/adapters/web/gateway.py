"""The one way out, over httpx2."""

import asyncio
import re
import ssl
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache

import httpcore2
import httpx2

from palabre.adapters.web.bodies import ACCEPTED, read_body
from palabre.adapters.web.guarded import CappedTransport, GuardedBackend, GuardedTransport
from palabre.adapters.web.resolver import Resolver, SystemResolver
from palabre.adapters.web.target import Origin, next_target, origin_of, to_target
from palabre.core.web.errors import FetchError
from palabre.core.web.model import Fetched
from palabre.core.web.ports import FETCH_TIMEOUT_S, MAX_BODY_BYTES

MAX_REDIRECTS = 5
USER_AGENT = "KXKM_Clown/2.0"
"""How we introduce ourselves (seed 000 §10)."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_KEEP_METHOD = frozenset({307, 308})
_HARMLESS = frozenset({"accept", "accept-language", "user-agent"})
"""Headers that another origin gets too after a redirect: none of them is a credential."""

_CHARSET = re.compile(r"charset\s*=\s*\"?([\w.:-]{1,40})", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Step:
    """One request of a fetch; redirects make several of them."""

    url: httpx2.URL
    method: str
    headers: Mapping[str, str]
    content: bytes | None = field(default=None, repr=False)


class HttpGateway:
    """`Gateway` that looks each name up once and connects to nothing but what it judged.

    Args:
        trusted: Addresses that the owner configured: their origins may be anywhere, and nothing
            else may because of them.
        backend: What connects; None is the operating system.
        tls: Whom to believe; None believes the usual authorities.
    """

    def __init__(
        self,
        *,
        trusted: Collection[str] = (),
        resolver: Resolver | None = None,
        backend: httpcore2.AsyncNetworkBackend | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._trusted = frozenset(origin_of(httpx2.URL(each)) for each in trusted)
        self._resolver = resolver or SystemResolver()
        self._backend = backend
        self._tls = tls

    def trusting(self, *addresses: str) -> "HttpGateway":
        """Return a gateway for whoever owns the configured *addresses*."""
        return HttpGateway(
            trusted=addresses, resolver=self._resolver, backend=self._backend, tls=self._tls
        )

    async def fetch(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        max_bytes: int = MAX_BODY_BYTES,
        timeout_s: float = FETCH_TIMEOUT_S,
    ) -> Fetched:
        target = to_target(url, self._trusted)
        step = _Step(target, method, headers or {}, content)
        try:
            async with asyncio.timeout(timeout_s):
                return await self._follow(step, max_bytes)
        except TimeoutError:
            raise FetchError("timeout", host=target.host, limit_s=timeout_s) from None

    async def client(
        self,
        *,
        timeout_s: float,
        max_bytes: int = MAX_BODY_BYTES,
        headers: Mapping[str, str] | None = None,
    ) -> httpx2.AsyncClient:
        """Return a client for an SDK that needs one of its own; to be closed.

        What it calls is judged as in `fetch`, and no answer is longer than *max_bytes*.
        """
        return httpx2.AsyncClient(
            transport=CappedTransport(await self._transport(), max_bytes),
            trust_env=False,
            timeout=httpx2.Timeout(timeout_s),
            headers={"User-Agent": USER_AGENT, **(headers or {}), "Accept-Encoding": "identity"},
        )

    async def _follow(self, step: _Step, max_bytes: int) -> Fetched:
        async with httpx2.AsyncClient(transport=await self._transport(), trust_env=False) as client:
            for _ in range(MAX_REDIRECTS + 1):
                done = await self._take(client, step, max_bytes)
                if isinstance(done, Fetched):
                    return done
                step = done
        raise FetchError("redirects", host=step.url.host, most=MAX_REDIRECTS)

    async def _take(
        self, client: httpx2.AsyncClient, step: _Step, max_bytes: int
    ) -> Fetched | _Step:
        request = httpx2.Request(
            step.method,
            step.url,
            headers={
                "User-Agent": USER_AGENT,
                "Accept": "*/*",
                **step.headers,
                "Accept-Encoding": ACCEPTED,
            },
            content=step.content,
        )
        with _translated(step.url.host):
            response = await client.send(request, stream=True, follow_redirects=False)
            try:
                if response.status_code in _REDIRECTS and "location" in response.headers:
                    return _redirected(step, response, self._trusted)
                return await _fetched(step.url, response, max_bytes)
            finally:
                await response.aclose()

    async def _transport(self) -> GuardedTransport:
        backend = GuardedBackend(
            self._resolver,
            trusted=[(host, port) for _, host, port in self._trusted],
            inner=self._backend,
        )
        if self._tls is None:
            self._tls = await asyncio.to_thread(_usual_authorities)
        return GuardedTransport(backend, self._tls)


@cache
def _usual_authorities() -> ssl.SSLContext:
    return httpx2.create_ssl_context(trust_env=False)


async def _fetched(url: httpx2.URL, response: httpx2.Response, max_bytes: int) -> Fetched:
    packing = response.headers.get("content-encoding", "").split(",")
    kind = response.headers.get("content-type", "")
    charset = _CHARSET.search(kind)
    return Fetched(
        url=str(url),
        status=response.status_code,
        media_type=kind.partition(";")[0].strip().lower(),
        charset=charset[1].lower() if charset else "",
        body=await read_body(response.aiter_raw(), packing, max_bytes),
    )


def _redirected(step: _Step, response: httpx2.Response, trusted: Collection[Origin]) -> _Step:
    url = next_target(step.url, response.headers["location"], trusted)
    keeps = response.status_code in _KEEP_METHOD or step.method in {"GET", "HEAD"}
    method = step.method if keeps else "GET"
    content = step.content if keeps else None
    if origin_of(url) == origin_of(step.url):
        return _Step(url, method, step.headers, content)
    if content is not None:
        raise FetchError("redirected_body", host=step.url.host)
    harmless = {name: value for name, value in step.headers.items() if name.lower() in _HARMLESS}
    return _Step(url, method, harmless)


@contextmanager
def _translated(host: str) -> Iterator[None]:
    """Tell failures below HTTP, and of *host* where they name none."""
    try:
        yield
    except FetchError as error:
        error.data["host"] = error.data["host"] or host
        raise
    except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
        raise FetchError("unreachable", host=host) from error
    except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL) as error:
        raise FetchError("broken", host=host, detail=str(error)[:200]) from error
