"""TLS through the gateway: the address is the judged one, the name stays that of the URL."""

import asyncio
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.support.outside import PUBLIC, Detour, GivenNames

from palabre.adapters.web.gateway import HttpGateway
from palabre.core.web.errors import FetchError

ANSWER = b"HTTP/1.1 {status}\r\nContent-Length: 2\r\nConnection: close\r\n{more}\r\nok"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a certificate of public.example, signed by itself, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    cert, key = folder / "cert.pem", folder / "key.pem"
    subject = ("-subj", "/CN=public.example", "-addext", "subjectAltName=DNS:public.example")
    places = ("-keyout", str(key), "-out", str(cert))
    kind = ("-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2")
    subprocess.run(["openssl", "req", *kind, *subject, *places], check=True, capture_output=True)
    return cert, key


@asynccontextmanager
async def served(cert: Path, key: Path, answer: bytes) -> AsyncIterator[tuple[int, list[str]]]:
    """Answer every request with *answer*; yield the port and the names that were asked for."""
    names: list[str] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    context.sni_callback = lambda _socket, name, _context: names.append(name)
    server = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=context)
    async with server:
        yield server.sockets[0].getsockname()[1], names


def gateway(port: int, cert: Path, name: str = "public.example") -> HttpGateway:
    tls = ssl.create_default_context(cafile=str(cert))
    return HttpGateway(resolver=GivenNames({name: [[PUBLIC]]}), backend=Detour(port), tls=tls)


def answer(status: str = "200 OK", more: str = "") -> bytes:
    return ANSWER.decode().format(status=status, more=more).encode()


async def test_the_name_of_the_address_is_asked_for_and_checked(
    certificate: tuple[Path, Path],
) -> None:
    async with served(*certificate, answer()) as (port, names):
        fetched = await gateway(port, certificate[0]).fetch("https://public.example/")
    assert (fetched.body, names) == (b"ok", ["public.example"])


async def test_a_certificate_of_another_name_is_refused(certificate: tuple[Path, Path]) -> None:
    async with served(*certificate, answer()) as (port, _):
        other = gateway(port, certificate[0], "other.example")
        with pytest.raises(FetchError) as caught:
            await other.fetch("https://other.example/")
    assert caught.value.reason == "unreachable"


async def test_a_redirect_to_plain_text_is_refused(certificate: tuple[Path, Path]) -> None:
    away = answer("302 Found", "Location: http://public.example/\r\n")
    async with served(*certificate, away) as (port, _):
        with pytest.raises(FetchError) as caught:
            await gateway(port, certificate[0]).fetch("https://public.example/")
    assert caught.value.reason == "downgrade"
