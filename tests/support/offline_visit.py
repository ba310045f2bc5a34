"""Run in a network namespace that has nothing but loopback: use all of Palabre, then report.

The kernel counts every packet and connection for which there is no route. Prints one JSON object:
what was told, how often something tried to leave, and whether a try of ours was counted.
"""

import asyncio
import fcntl
import json
import re
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.support.served import PALABRE, Served, served
from websockets.asyncio.client import ClientConnection, connect

ARGUMENTS = {
    "help": "",
    "nick": "zoe",
    "who": "",
    "personas": "",
    "web": "musique concrète",
    "clear": "",
    "status": "",
    "models": "",
    "context": "",
    "memory": "Schaeffer",
    "export": "",
    "responders": "1",
    "imagine": "une ville",
    "compose": "un bourdon, 5s",
    "join": "#musique",
    "channels": "",
    "reload": "",
    "stop": "",
}

_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1


def raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        asked = struct.pack("16sh14x", b"lo", 0)
        (flags,) = struct.unpack_from("h", fcntl.ioctl(any_socket, _SIOCGIFFLAGS, asked), 16)
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | _IFF_UP))


def attempts_to_leave() -> int:
    names, values = [
        line.split()
        for line in Path("/proc/net/snmp").read_text().splitlines()
        if line[:3] == "Ip:"
    ]
    count = int(dict(zip(names, values, strict=True))["OutNoRoutes"])
    six = re.search(r"Ip6OutNoRoutes\s+(\d+)", Path("/proc/net/snmp6").read_text())
    return count + int(six[1] if six else 0)


def try_to_leave() -> None:
    with suppress(OSError):
        socket.create_connection(("192.0.2.1", 80), 1)
    with suppress(OSError):
        socket.getaddrinfo("palabre.example", 443)


@contextmanager
def simulated_ollama() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [PALABRE, "sim", "ollama", "--port", str(port), "--tokens-per-s", "1000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


async def visit(server: Served) -> dict[str, Any]:
    listed = json.loads(server.get("/api/v2/commands"))["data"]
    async with connect(f"{server.url}/ws?nick=ana", max_queue=None) as ana:
        answer = await _chat(ana)
        told = {}
        for command in listed:
            told[command["name"]] = await _use(ana, command["name"])
    pages = [len(server.get(path)) for path in ("/", "/metrics", "/readyz", "/api/v2/health")]
    return {"answer": answer, "told": told, "pages": pages}


async def _chat(ana: ClientConnection) -> str:
    await ana.send(json.dumps({"type": "message", "text": "Bonjour @Schaeffer"}))
    async with asyncio.timeout(30):
        while True:
            frame = json.loads(await ana.recv())
            if frame["type"] == "message" and frame["nick"] == "Schaeffer":
                return str(frame["text"])


async def _use(ana: ClientConnection, name: str) -> str:
    """Use a command, then `/who`; return all that is told until the answer to that."""
    for line in (f"/{name} {ARGUMENTS[name]}".strip(), "/who"):
        await ana.send(json.dumps({"type": "command", "text": line}))
    told, lists = [], 2 if name == "who" else 1
    async with asyncio.timeout(30):
        while lists:
            frame = json.loads(await ana.recv())
            if frame["type"] == "userlist" and "seq" not in frame:
                lists -= 1
                told.append(" ".join(frame["users"]))
            elif frame["type"] == "system":
                told.append(str(frame["text"]))
    return "\n".join(told)


def main(folder: Path) -> None:
    raise_loopback()
    before = attempts_to_leave()
    rooms = {"rate_limit_messages": 1000}
    with (
        simulated_ollama() as url,
        served(folder / "data", rooms=rooms, ollama=url, provider="auto") as server,
    ):
        report = asyncio.run(visit(server))
        report["stopped"] = server.stop()
    report["attempts"] = attempts_to_leave() - before
    try_to_leave()
    report["counted"] = attempts_to_leave() - before - report["attempts"]
    print(json.dumps(report))  # noqa: T201 - read by the test


if __name__ == "__main__":
    main(Path(sys.argv[1]))
