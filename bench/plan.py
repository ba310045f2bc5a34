"""What a measurement needs: the server, the peer, and a place to tell how far it is."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

from bench.lag import longest_stall_s
from bench.peer import Peer
from bench.target import Launcher, Target, simulated_ollama


@dataclass(slots=True)
class Plan:
    """One run of the bench.

    Attributes:
        peer: None when there is none on this machine.
        tell: Shows what is being measured now.
        stalls_s: The longest stall of the event loop in each server that told one.
    """

    launcher: Launcher
    peer: Peer | None
    tell: Callable[[str], None]
    stalls_s: list[float] = field(default_factory=list)

    @contextmanager
    def server(
        self,
        *,
        persona: str = "",
        ollama_port: int = 1,
        settings: Mapping[str, str] | None = None,
    ) -> Iterator[Target]:
        """Run a server; note its longest stall before it ends."""
        with self.launcher.running(
            persona=persona, ollama_port=ollama_port, settings=settings
        ) as target:
            yield target
            stall_s = longest_stall_s(target.port)
            if stall_s is not None:
                self.stalls_s.append(stall_s)

    def ollama(self, script: str) -> AbstractContextManager[int]:
        """Run the simulated Ollama; yield its port."""
        return simulated_ollama(script)

    @contextmanager
    def both(self) -> Iterator[dict[str, Target]]:
        """Run a server, and the peer if there is one, under the names `palabre` and `peer`."""
        with self.server() as palabre:
            if self.peer is None:
                yield {"palabre": palabre}
                return
            with self.peer.running() as peer:
                yield {"palabre": palabre, "peer": peer}
