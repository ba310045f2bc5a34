"""An internet that is this machine: names and addresses are invented, nothing leaves."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address

import httpcore2

from palabre.core.web.addresses import Address
from palabre.core.web.errors import FetchError

PUBLIC = "93.184.216.34"


@dataclass
class GivenNames:
    """`Resolver` that answers each name with the next of its lists of addresses."""

    names: dict[str, list[list[str]]]
    asked: list[str] = field(default_factory=list)

    async def resolve(self, host: str, port: int) -> Sequence[Address]:
        self.asked.append(host)
        answers = self.names.get(host)
        if not answers:
            raise FetchError("unresolved", host=host)
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        return [ip_address(each) for each in answer]


@dataclass
class Detour(httpcore2.AsyncNetworkBackend):
    """Connects to a server of the test, whatever address is wanted, and notes which one that was.

    Attributes:
        port: Where the server listens on 127.0.0.1.
        dead: Addresses at which nothing answers.
    """

    port: int
    dead: frozenset[str] = frozenset()
    called: list[tuple[str, int]] = field(default_factory=list)

    async def connect_tcp(
        self,
        host,
        port,
        timeout=None,  # noqa: ASYNC109 - as the one that it stands for
        local_address=None,
        socket_options=None,
    ):
        self.called.append((host, port))
        if host in self.dead:
            raise httpcore2.ConnectError("refused")
        return await httpcore2.AnyIOBackend().connect_tcp("127.0.0.1", self.port, timeout)
