"""How often one address may try to log in (seed 000 §5.3). Pure."""

from collections import OrderedDict
from ipaddress import IPv6Address, IPv6Network, ip_address

LOGIN_LIMIT = 5
LOGIN_WINDOW_S = 60

MAX_REMEMBERED = 10_000
"""Addresses whose tries are kept; the one that was quiet longest is forgotten first."""

NEIGHBOURHOOD_BITS = 64
"""Whoever has one IPv6 address usually has all that begin with so many of its bits."""


class LoginWindows:
    """The tries of each address in the last `LOGIN_WINDOW_S` seconds."""

    def __init__(self) -> None:
        self._tries: OrderedDict[str, list[float]] = OrderedDict()

    def admit(self, address: str, now_s: float) -> float:
        """Admit a try at *now_s* (monotonic), or say in how many seconds the next one may come.

        What is refused takes no place; 0 stands for what is admitted.
        """
        source = neighbourhood(address)
        tries = [at for at in self._tries.pop(source, []) if at > now_s - LOGIN_WINDOW_S]
        wait_s = tries[0] + LOGIN_WINDOW_S - now_s if len(tries) >= LOGIN_LIMIT else 0.0
        if not wait_s:
            tries.append(now_s)
        self._tries[source] = tries
        if len(self._tries) > MAX_REMEMBERED:
            self._tries.popitem(last=False)
        return wait_s


def neighbourhood(address: str) -> str:
    """Return what stands for everybody who may be behind *address*."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return str(found)
    mapped = found.ipv4_mapped
    return str(mapped or IPv6Network((int(found), NEIGHBOURHOOD_BITS), strict=False))
