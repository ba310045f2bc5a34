"""`palabre serve` in a process of its own, as its users run it."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

PALABRE = Path(sys.executable).with_name("palabre")
START_S = 60.0
QUIET = {"PALABRE_KNOWLEDGE__MANIFESTO": "false"}
"""A server that indexes nothing at its start: what it weighs and how fast it is stays its own."""


@dataclass
class Served:
    """A server that runs, and what it logged."""

    process: "subprocess.Popen[str]"
    data_dir: Path
    lines: list[str] = field(default_factory=list)
    address: tuple[str, int] = ("", 0)

    @property
    def url(self) -> str:
        return f"ws://{self.address[0]}:{self.address[1]}"

    def get(self, path: str) -> bytes:
        url = f"http://{self.address[0]}:{self.address[1]}{path}"
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.read()

    def figure(self, name: str, **labels: str) -> float:
        """Return the sum of a metric's values that have *labels*; 0 when there is none."""
        rows = (line.rsplit(" ", 1) for line in self.get("/metrics").decode().splitlines())
        wanted = [f'{key}="{value}"' for key, value in labels.items()]
        return sum(
            float(row[1])
            for row in rows
            if re.match(rf"{name}(\{{|$)", row[0]) and all(part in row[0] for part in wanted)
        )

    def resident_bytes(self) -> int:
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def sockets(self) -> set[tuple[str, int]]:
        """Return the remote addresses (host in hex, port) of this process's open connections."""
        folder = Path(f"/proc/{self.process.pid}/fd")
        inodes = set()
        for link in folder.iterdir():
            try:
                target = link.readlink().name
            except OSError:
                continue
            if target.startswith("socket:"):
                inodes.add(target[8:-1])
        table = Path(f"/proc/{self.process.pid}/net/tcp").read_text().splitlines()[1:]
        rows = [line.split() for line in table]
        return {_remote(row[2]) for row in rows if row[9] in inodes and row[3] != "0A"}

    def said(self) -> tuple[list[str], list[str]]:
        """Return the texts in the day's log, and those in the channels' contexts."""
        return _texts(self.data_dir / "chat-logs"), _texts(self.data_dir / "context")

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(60)


@contextmanager
def served(
    data_dir: Path,
    *options: str,
    rooms: Mapping[str, object] | None = None,
    ollama: str = "http://127.0.0.1:9",
    provider: str = "ollama",
    before: tuple[str, ...] = (),
    variables: Mapping[str, str] | None = None,
) -> Iterator[Served]:
    """Run a server on a free port until the block ends.

    *before* is put before the command; *variables* join its environment.
    """
    config = data_dir.parent / f"{data_dir.name}.toml"
    rows = [f"{key} = {json.dumps(value)}" for key, value in (rooms or {}).items()]
    models = ["[models]", f'provider = "{provider}"', "[models.ollama]", f'url = "{ollama}"']
    config.write_text("\n".join(["[rooms]", *rows, *models]), encoding="utf-8")
    command = [*before, str(PALABRE), "serve", "--port", "0", "--config", str(config)]
    command += ["--data-dir", str(data_dir), *options]
    environment = {"PATH": os.environ["PATH"], "HOME": str(data_dir.parent), "LANG": "C.UTF-8"}
    environment |= variables or {}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    place = Served(process, data_dir)
    reader = threading.Thread(target=_read, args=(place,), daemon=True)
    reader.start()
    try:
        _wait(place)
        yield place
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        reader.join(5)
        if process.stderr:
            process.stderr.close()


def _read(place: Served) -> None:
    assert place.process.stderr
    for line in place.process.stderr:
        place.lines.append(line.rstrip())


def _wait(place: Served) -> None:
    deadline_s = time.monotonic() + START_S
    while time.monotonic() < deadline_s and place.process.poll() is None:
        for line in place.lines:
            if match := re.search(r"http://([\d.]+):(\d+) .*Ctrl", line):
                place.address = match[1], int(match[2])
                return
        time.sleep(0.01)
    raise RuntimeError("\n".join(place.lines) or "the server does not start")


def _remote(address: str) -> tuple[str, int]:
    host, port = address.split(":")
    return host, int(port, 16)


def _texts(folder: Path) -> list[str]:
    files = sorted(folder.glob("*.jsonl"))
    return [json.loads(line)["text"] for file in files for line in file.read_text().splitlines()]
