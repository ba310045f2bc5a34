"""Servers under test: started, waited for, ended."""

import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PALABRE = (str(Path(sys.executable).with_name("palabre")),)
CORES = sorted(os.sched_getaffinity(0))
RANK = -9
START_LIMIT_S = 30.0
_UPGRADE = (
    b"GET /ws?nick=bench HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
    b"Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    b"Sec-WebSocket-Version: 13\r\n\r\n"
)


class StartError(Exception):
    """A server did not come up; the words are its own."""


@dataclass(frozen=True, slots=True)
class Target:
    """A server that accepts WebSockets.

    Attributes:
        pid: Of its process; the generator looks at its children too.
        port: On 127.0.0.1.
        start_s: From its start to the first accepted WebSocket.
        start_cpu_s: What of that it worked; the rest, others had the core.
    """

    pid: int
    port: int
    start_s: float
    start_cpu_s: float


@dataclass(frozen=True, slots=True)
class Launcher:
    """How `palabre serve`, or what is measured in its place, is started.

    Attributes:
        command: With `{port}` where the port goes; empty for this checkout's `palabre serve`.
    """

    command: str = ""

    @contextmanager
    def running(
        self,
        *,
        persona: str = "",
        ollama_port: int = 1,
        settings: Mapping[str, str] | None = None,
    ) -> Iterator[Target]:
        """Start the server with a data folder of its own; *settings* are variables besides ours.

        Nobody answers but the one whom *persona*, the text of a persona file, describes.
        """
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            port = free_port()
            _cast(Path(folder, "personas"), persona)
            variables = {**_settings(Path(folder), port, ollama_port), **(settings or {})}
            with started(self._arguments(port), port, variables, cwd=Path(folder)) as target:
                yield target

    def _arguments(self, port: int) -> list[str]:
        if self.command:
            return shlex.split(self.command.format(port=port))
        return [*PALABRE, "serve"]


@contextmanager
def simulated_ollama(script: str) -> Iterator[int]:
    """Run the simulated Ollama with *script* (TOML); yield its port."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        file = Path(folder, "script.toml")
        file.write_text(script, encoding="utf-8")
        port = free_port()
        arguments = [*PALABRE, "sim", "ollama", "--port", str(port), "--script", str(file)]
        with started(arguments, port, os.environ, Path(folder), core=-1, ready=_listens):
            yield port


def _cast(folder: Path, persona: str) -> None:
    """Switch off the personas that come along."""
    folder.mkdir()
    for file in (ROOT / "content" / "personas").glob("*.toml"):
        Path(folder, file.name).write_text("enabled = false\n", encoding="utf-8")
    if persona:
        Path(folder, "bench.toml").write_text(persona, encoding="utf-8")


def _settings(folder: Path, port: int, ollama_port: int) -> Mapping[str, str]:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PALABRE_")}
    return ours | {
        "PALABRE_DATA_DIR": str(folder / "data"),
        "PALABRE_CACHE_DIR": str(folder / "cache"),
        "PALABRE_SERVER__PORT": str(port),
        "PALABRE_PERSONAS__DIR": str(folder / "personas"),
        "PALABRE_ROOMS__RATE_LIMIT_MESSAGES": "10000",
        "PALABRE_ROOMS__RATE_LIMIT_WINDOW_S": "0.01",
        "PALABRE_MODELS__PROVIDER": "ollama",
        "PALABRE_MODELS__EMBEDDED__ENABLED": "false",
        "PALABRE_LOGS__LEVEL": "warning",
        "OLLAMA_URL": f"http://127.0.0.1:{ollama_port}",
    }


@contextmanager
def started(
    arguments: list[str],
    port: int,
    settings: Mapping[str, str],
    cwd: Path,
    *,
    core: int = 0,
    ready: "Callable[[int], bool] | None" = None,
) -> Iterator[Target]:
    """Run *arguments* until the block ends; yield when it is *ready* on *port*.

    It stays on one core of the machine: what moves about pays for cold caches. *ready* None
    waits until WebSockets are accepted.

    Raises:
        StartError: It ended, or was not ready in time.
    """
    log = cwd / "server.log"
    began = time.monotonic()
    with log.open("wb") as output:
        process = subprocess.Popen(
            arguments, env=settings, cwd=cwd, stdout=output, stderr=output, start_new_session=True
        )
        go_first(process.pid)
        os.sched_setaffinity(process.pid, {CORES[core]})
        try:
            while not (ready or accepts)(port):
                if process.poll() is not None or time.monotonic() - began > START_LIMIT_S:
                    raise StartError(log.read_text(errors="replace")[-400:])
                time.sleep(0.005)
            took_s = time.monotonic() - began
            yield Target(process.pid, port, took_s, _cpu_s(process.pid))
        finally:
            _end(process)


def accepts(port: int) -> bool:
    """Say whether a WebSocket is accepted on *port*."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            connection.sendall(_UPGRADE)
            return connection.recv(64).startswith(b"HTTP/1.1 101")
    except OSError:
        return False


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def leave_first_core() -> None:
    """Keep this process, and the generator that it starts, off the server's core."""
    os.sched_setaffinity(0, CORES[1:] or CORES)


def go_first(pid: int) -> None:
    """Let the process *pid*, the first of its session, go before others of the machine.

    Only root may; without it figures are as they are on a shared machine.
    """
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, RANK)
        Path(f"/proc/{pid}/autogroup").write_text(str(RANK), encoding="utf-8")


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except OSError:
        return False
    return True


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
