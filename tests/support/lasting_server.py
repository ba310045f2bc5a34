"""A `palabre serve` with a simulated model that stops and starts again in the same place."""

import os
import random
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.support.served import PALABRE

DEADLINE_S = 60.0
NOT_GIVEN_AWAY = (20_000, 32_000)
"""Ports below those that Linux takes for outgoing connections."""


def free_port() -> int:
    """Return a port that nobody has, and that the system gives to no outgoing connection meanwhile.

    One that it might give would, once in a while, be taken before its server begins, or answer
    `_is_up` itself: a connection to a port that has no listener may come from that very port.
    """
    while True:
        port = random.randrange(*NOT_GIVEN_AWAY)  # noqa: S311 - no secret
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def until(condition: Callable[[], bool], what: Callable[[], str]) -> None:
    """Wait until *condition* holds; fail with *what()* after DEADLINE_S."""
    deadline_s = time.monotonic() + DEADLINE_S
    while not condition():
        if time.monotonic() > deadline_s:
            pytest.fail(what())
        time.sleep(0.05)


def _is_up(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def palabre(port: int, *arguments: str, log: Path, **environment: str) -> Iterator[None]:
    """Run a `palabre` command that listens on *port*, until the block ends."""
    with log.open("a") as output:
        process = subprocess.Popen(
            [PALABRE, *arguments, "--port", str(port)],
            stdout=output,
            stderr=output,
            env=os.environ | environment,
        )
    try:
        until(lambda: _is_up(port) or process.poll() is not None, log.read_text)
        if process.returncode is not None:
            pytest.fail(log.read_text())
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(DEADLINE_S)


@contextmanager
def simulated_model(script: Path) -> Iterator[str]:
    """Run an Ollama that answers as *script* says; yield its address."""
    port = free_port()
    log = script.with_suffix(".log")
    with palabre(port, "sim", "ollama", "--script", str(script), log=log):
        yield f"http://127.0.0.1:{port}"


@dataclass
class Server:
    """The server and where it keeps its things.

    *variables* join its environment.
    """

    home: Path
    model_url: str
    variables: dict[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    @property
    def socket_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/ws"

    @contextmanager
    def running(self) -> Iterator["Server"]:
        arguments = ("serve", "--provider", "ollama", "--data-dir", str(self.home / "data"))
        environment = {"OLLAMA_URL": self.model_url} | self.variables
        with palabre(self.port, *arguments, log=self.home / "serve.log", **environment):
            yield self
