"""The peer: a plain Node hub, installed into `bench/build` when Node and npm are there."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.load import BUILD
from bench.target import Target, free_port, started

_SOURCE = Path(__file__).parent / "peer_node"
_FOLDER = BUILD / "peer_node"


class NoPeerError(Exception):
    """There is no peer on this machine; the words say why."""


@dataclass(frozen=True, slots=True)
class Peer:
    """The Node hub, ready to be started."""

    node: str

    @contextmanager
    def running(self) -> Iterator[Target]:
        """Start it on a free port."""
        port = free_port()
        arguments = [self.node, str(_FOLDER / "hub.mjs"), str(port)]
        with started(arguments, port, os.environ, cwd=_FOLDER) as target:
            yield target


def install() -> Peer:
    """Copy the hub into the build folder and fetch `ws` for it.

    Raises:
        NoPeerError: Node or npm is missing, or npm cannot fetch the package.
    """
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise NoPeerError("node and npm are not both installed")
    shutil.copytree(_SOURCE, _FOLDER, dirs_exist_ok=True)
    if not (_FOLDER / "node_modules" / "ws").is_dir():
        command = [npm, "install", "--no-audit", "--no-fund", "--loglevel=error"]
        done = subprocess.run(command, cwd=_FOLDER, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NoPeerError("npm failed", done.stderr.strip()[:200])
    return Peer(node)
