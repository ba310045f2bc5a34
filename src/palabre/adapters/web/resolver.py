"""From names of machines to addresses."""

import asyncio
import socket
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Protocol

from palabre.core.web.addresses import Address
from palabre.core.web.errors import FetchError


class Resolver(Protocol):
    """Looks names up."""

    async def resolve(self, host: str, port: int) -> Sequence[Address]:
        """Return the addresses of *host*, the best first; never empty.

        Raises:
            FetchError: There is no such name, or nobody can say.
        """
        ...


class SystemResolver:
    """`Resolver` that asks the operating system, in a thread."""

    async def resolve(self, host: str, port: int) -> Sequence[Address]:
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise FetchError("unresolved", host=host) from error
        return [ip_address(row[4][0]) for row in found]
