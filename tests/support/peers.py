"""Model servers and clients that others wrote, each in a process of its own."""

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from palabre.app.models import weight_store
from palabre.app.settings import load_settings

PEERS = Path(sys.prefix).with_name(f"{Path(sys.prefix).name}-peers")
PYTHON = PEERS / "bin" / "python"
OLLAMA_PROXY = PEERS / "bin" / "ollama-proxy"
AIMOCK = PEERS / "npm" / "node_modules" / "@copilotkit" / "aimock" / "dist" / "cli.js"
AIMOCK_NODE = (20, 15)
PALABRE = Path(sys.executable).with_name("palabre")
START_S = 60.0
STOP_S = 5.0


def why_no_peers() -> str:
    """Return why the peers from Python packages cannot run; empty if they can."""
    return "" if OLLAMA_PROXY.is_file() else f"no {PEERS.name}: make {PEERS.name}/.installed"


def why_no_aimock() -> str:
    """Return why aimock cannot run; empty if it can."""
    wanted = ".".join(map(str, AIMOCK_NODE))
    node = shutil.which("node")
    if node is None:
        return f"node is not installed (aimock needs {wanted})"
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    version = tuple(int(part) for part in re.findall(r"\d+", told)[:2])
    if version < AIMOCK_NODE:
        return f"node is {told.strip()} (aimock needs {wanted})"
    return "" if AIMOCK.is_file() else "aimock is not installed: npm was missing or failed"


@dataclass
class Peer:
    """A server that runs, and what it printed."""

    process: "subprocess.Popen[str]"
    url: str = ""
    lines: list[str] = field(default_factory=list)


@contextmanager
def running(
    command: Sequence[str | Path], folder: Path, environment: Mapping[str, str] | None = None
) -> Iterator[Peer]:
    """Run a server that prints its address of this machine once it listens, until the block ends.

    It sees *folder* as its home and nothing of our environment but the path; its standard input
    is open as long as it is wanted.
    """
    process = subprocess.Popen(
        [str(part) for part in command],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), **(environment or {})},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    peer = Peer(process)
    heard = threading.Event()
    reader = threading.Thread(target=_read, args=(peer, heard), daemon=True)
    reader.start()
    try:
        if not heard.wait(START_S) or not peer.url:
            raise RuntimeError("\n".join(peer.lines) or f"{command[0]} does not start")
        yield peer
    finally:
        _stop(peer)
        reader.join(STOP_S)


def _read(peer: Peer, heard: threading.Event) -> None:
    assert peer.process.stdout
    for line in peer.process.stdout:
        peer.lines.append(line.rstrip())
        if not peer.url and (match := re.search(r"http://127\.0\.0\.1:\d+", line)):
            peer.url = match[0]
            heard.set()
    heard.set()


def _stop(peer: Peer) -> None:
    assert peer.process.stdin
    peer.process.stdin.close()
    peer.process.terminate()
    try:
        peer.process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        peer.process.kill()
        peer.process.wait()


def tiny_weights() -> Path:
    """Return where the tiny model lies, in the cache that the whole program uses; fetch it once."""
    store = weight_store(load_settings(cli={"models.embedded.tier": "tiny"}).settings)
    (weights,) = store.find("tiny")
    if not store.has(weights):
        subprocess.run([PALABRE, "model", "pull", "tiny"], check=True, capture_output=True)
    return store.path(weights)
